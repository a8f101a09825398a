"""Random generators keyed by names, so that nothing depends on order or position."""

import hashlib

import numpy as np


def generator(seed, *keys):
    """Generator for one purpose of one run.

    Parameters
    ----------
    seed : int
        Seed of the study.
    *keys : str or int
        Names and numbers of what is drawn: the study, the dataset or case, the run, the
        purpose.

    Returns
    -------
    numpy.random.Generator
        Independent of the generators of all other keys.
    """
    words = hashlib.sha256("\x1f".join(map(str, keys)).encode()).digest()
    entropy = [seed, *np.frombuffer(words, dtype="<u4").tolist()]
    return np.random.default_rng(np.random.SeedSequence(entropy))
