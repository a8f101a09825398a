"""Types of the arrays that pass between modules."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
SingleArray = npt.NDArray[np.float32]
Indices = npt.NDArray[np.integer]
Flags = npt.NDArray[np.bool_]
ArrayLike = npt.ArrayLike
