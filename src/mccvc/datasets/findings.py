"""What could make a benchmark on a table mean less than it seems."""

import numpy as np

# Share of the target's variation that a relation may leave unexplained to count as exact.
_EXACT = 1e-9
# Whole numbers beyond this are no longer told apart.
_LARGEST_WHOLE = 2**53
_FEW_ROWS = 20


def findings(frame, target):
    """Remarks on repeated rows, constant columns, and columns that give the target away.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns that are used, of numbers and text, without missing values.
    target : str
        Its column.

    Returns
    -------
    list of str
    """
    constant = frame.columns[frame.nunique(dropna=False) < 2].tolist()
    inputs = frame.drop(columns=target)
    repeated, same_inputs = int(frame.duplicated().sum()), int(inputs.duplicated().sum())
    notes = [f"Distinct targets: {frame[target].nunique()}."]
    if len(frame) < _FEW_ROWS:
        notes.append(f"Only {len(frame)} rows: too few for most hidden layers.")
    if constant:
        notes.append(f"Constant columns: {constant}.")
    large = frame.select_dtypes("number").abs().max() > _LARGEST_WHOLE
    if large.any():
        notes.append(f"Numbers so large that digits are lost: {large.index[large].tolist()}.")
    if same_inputs:
        notes.append(
            f"Rows that repeat earlier ones: {repeated}; their inputs: {same_inputs}. Set"
            " duplicates: drop, or together, to keep equal rows on one side of the split."
        )
    return notes + _relations(frame, target)


def _relations(frame, target):
    numbers = frame.select_dtypes("number").astype(float)
    if target not in numbers or len(numbers) <= numbers.shape[1]:
        return []
    columns = numbers.drop(columns=target)
    columns = columns.loc[:, columns.nunique() >= 2]
    columns = columns / columns.abs().max()
    goal = numbers[target] / numbers[target].abs().max()
    goal -= goal.mean()
    if not (goal != 0).any() or columns.empty:
        return []
    centered = columns - columns.mean()
    alone = [c for c in columns if _unexplained(centered[[c]], goal)[0] < _EXACT]
    notes = [f"{c} alone determines the target: drop it." for c in alone]
    rest = centered.drop(columns=alone)
    if not rest.empty and not alone:
        left, weights = _unexplained(rest / rest.std(), goal)
        if left < _EXACT:
            weighty = np.abs(weights) > 1e-6 * np.abs(weights).max()
            notes.append(f"Together {list(rest.columns[weighty])} determine the target exactly.")
    return notes


def _unexplained(columns, goal):
    """Share of the goal's square that a linear combination leaves, and the combination."""
    weights = np.linalg.lstsq(columns.to_numpy(), goal.to_numpy(), rcond=None)[0]
    left = goal - columns.to_numpy() @ weights
    return float((left**2).sum() / (goal**2).sum()), weights
