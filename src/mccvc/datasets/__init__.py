"""Data files: fetched, read, looked at and normalized."""
