"""Digests that the values of datasets must have, or had."""

from pathlib import Path

from mccvc.datasets.errors import DataError
from mccvc.study.files import write_text


class Lock:
    """The digest that an entry gives, or else those that a dataset has had, kept in a file.

    Parameters
    ----------
    path : pathlib.Path
        One digest a line, the current one last.
    given : str, optional
        The digest of the entry, which alone counts.

    Attributes
    ----------
    earlier : list of str
        Digests before the current one.
    """

    def __init__(self, path: Path, given: str | None) -> None:
        self._path = path
        self._given = given
        known = path.read_text(encoding="utf-8").split() if path.exists() else []
        self._known: list[str] = [] if given else known

    @property
    def earlier(self) -> list[str]:
        return self._known[:-1]

    def check(self, digest: str, may_change: bool) -> str | None:
        """Compare the digest of values just read; keep it if it is the first, or may change.

        Returns
        -------
        str or None
            The digest before it, if the values have changed.

        Raises
        ------
        DataError
            If it is not the digest expected.
        """
        expected = self._given or (self._known[-1] if self._known else digest)
        changed = digest != expected
        if changed and (self._given or not may_change):
            where = "its entry; change" if self._given else f"{self._path}; delete"
            raise DataError(
                f"values have digest {digest}, expected {expected}, that of {where} it if they are"
                " right"
            )
        if not self._given and (changed or not self._known):
            self._known.append(digest)
            write_text(self._path, "".join(f"{known}\n" for known in self._known))
        return expected if changed else None
