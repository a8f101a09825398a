import os
from pathlib import Path

# One BLAS thread, as in the workflow's jobs; set before NumPy loads.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

from hypothesis import settings  # noqa: E402

# The same examples in every run, on machines of any speed.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_collection_modifyitems(items):
    """The workflow's tests are slow; what is not slow is fast."""
    for item in items:
        if "workflow" in Path(item.path).parts:
            item.add_marker("slow")
        if item.get_closest_marker("slow") is None:
            item.add_marker("fast")
