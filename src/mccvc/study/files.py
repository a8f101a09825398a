"""Files that are either whole or absent."""

import json
import os
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_path(path):
    """Give a temporary path beside `path`, renamed to it if the block succeeds.

    Parameters
    ----------
    path : path-like
        Final path; its directory is made.

    Yields
    ------
    pathlib.Path
        Where to write. Removed if the block raises.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    for left_by_a_killed_process in path.parent.glob(f".{path.name}.*"):
        left_by_a_killed_process.unlink()
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path, text):
    """Write a text file atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path, value):
    """Write a JSON file atomically, keys sorted."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True) + "\n")


def write_table(frame, path):
    """Write a frame to Parquet atomically, without its index."""
    with atomic_path(path) as temporary:
        frame.to_parquet(temporary, index=False)
