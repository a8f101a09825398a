import os

# One BLAS thread, as in the workflow's jobs; set before NumPy loads.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
