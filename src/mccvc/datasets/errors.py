"""What is wrong with a data file or its entry, in one line."""


class DataError(ValueError):
    """A data file that cannot be had, read or trusted."""


def first_line(error):
    """The first line of what an error says."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
