# SPDX-License-Identifier: Apache-2.0
"""The value of every vertex, as `outcore run --output FILE` wrote it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd


def load_values(path: str | Path) -> pd.Series:
    """Return the values by vertex, in the ids of the imported file, from a `.npy` or a text file.

    Whole numbers have the type uint32, or uint64 if they are vertices; others have float32. The
    value of what no path leads to is 4294967295, or inf. A text file cannot distinguish floats that
    happen to be whole from whole numbers, nor small vertices from other numbers; `.npy` can.
    """
    path = Path(path)
    if path.suffix == ".npy":
        rows = np.load(path, allow_pickle=False)
        vertices, values = rows["vertex"], rows["value"]
    else:
        words = np.array(path.read_text(encoding="ascii").split(), dtype=np.str_).reshape(-1, 2)
        vertices = words[:, 0].astype(np.uint64)
        try:
            values = words[:, 1].astype(np.uint64)
            if not (values > np.iinfo(np.uint32).max).any():
                values = values.astype(np.uint32)
        except ValueError:
            values = words[:, 1].astype(np.float32)
    return pd.Series(values, index=pd.Index(vertices, name="vertex"), name="value")
