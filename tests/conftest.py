import os

# One BLAS thread, as in the workflow's jobs; set before NumPy loads.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

from hypothesis import settings  # noqa: E402

# The same examples in every run, on machines of any speed.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
