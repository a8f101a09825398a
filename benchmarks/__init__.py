"""Speed of mccvc beside references, as ratios measured in one process on one BLAS thread."""
