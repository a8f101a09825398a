"""Command line: ``mccvc COMMAND`` or ``python -m mccvc COMMAND``."""

import os

# One BLAS thread per job, whatever the machine has: set before NumPy loads its BLAS. Two
# threads would change the last digits of a sum.
for _library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB_MAXIMUM"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"

from mccvc.cli import main  # noqa: E402

if __name__ == "__main__":
    raise SystemExit(main())
