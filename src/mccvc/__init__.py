"""Benchmark of the maximum correntropy criterion with variable center (MCC-VC)."""

__version__ = "0.1.0"
