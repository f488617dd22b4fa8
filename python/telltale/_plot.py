# SPDX-License-Identifier: Apache-2.0
"""telltale.plot: the charts of W&B's examples, kept as the tables that they are made of."""
from __future__ import annotations

from collections import Counter
from typing import Any, List, Optional, Sequence

from telltale import _arrays
from telltale._media import Table


def line(table: Table, x: str, y: str, stroke: Optional[str] = None, title: str = "", **others: Any) -> Table:
    return table


def scatter(table: Table, x: str, y: str, title: str = "", **others: Any) -> Table:
    return table


def bar(table: Table, label: str, value: str, title: str = "", **others: Any) -> Table:
    return table


def histogram(table: Table, value: str, title: str = "", **others: Any) -> Table:
    return table


def line_series(xs: Sequence[Any], ys: Sequence[Sequence[Any]], keys: Optional[Sequence[Any]] = None, title: str = "",
                xname: str = "x", **others: Any) -> Table:
    names = list(keys) if keys is not None else [f"line_{number}" for number in range(len(ys))]
    each = xs if xs and isinstance(xs[0], (list, tuple)) else [xs] * len(ys)
    return Table([xname, "line", "y"], [[x, name, y] for name, row, values in zip(names, each, ys) for x, y in zip(row, values)])


def confusion_matrix(probs: Any = None, y_true: Any = None, preds: Any = None, class_names: Optional[Sequence[str]] = None,
                     title: str = "", **others: Any) -> Table:
    """Counts of each pair of true and predicted class."""
    truth: List[int] = [int(label) for label in _arrays.flat_list(_arrays.to_array(y_true))]
    if preds is None:
        rows = [_arrays.flat_list(_arrays.to_array(row)) for row in probs]
        guesses = [row.index(max(row)) for row in rows]
    else:
        guesses = [int(label) for label in _arrays.flat_list(_arrays.to_array(preds))]
    count = max([*truth, *guesses, len(class_names or ()) - 1], default=-1) + 1
    names = [class_names[at] if class_names is not None and at < len(class_names) else f"Class_{at}" for at in range(count)]
    pairs = Counter(zip(truth, guesses))
    return Table(["Actual", "Predicted", "nPredictions"],
                 [[names[true], names[guess], pairs[true, guess]] for true in range(count) for guess in range(count)])
