"""Least squares for a few unknowns, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

_SINGULAR = 1e-12


def least_squares(rows: Sequence[Sequence[float]], values: Sequence[float]) -> tuple[float, ...]:
    """Return x that makes rows * x come closest to values. Raise ValueError when the rows do not determine it."""
    unknowns = len(rows[0])
    square = [[sum(row[i] * row[j] for row in rows) for j in range(unknowns)] for i in range(unknowns)]
    right = [sum(row[i] * value for row, value in zip(rows, values, strict=True)) for i in range(unknowns)]
    return _solved(square, right)


def _solved(square: list[list[float]], right: list[float]) -> tuple[float, ...]:
    """Solve a square system by elimination, each time with the largest pivot of its own scale."""
    size = len(right)
    scales = [max(abs(value) for value in row) or 1.0 for row in square]
    rows = [[*(value / scale for value in row), right[i] / scale]
            for i, (row, scale) in enumerate(zip(square, scales, strict=True))]  # fmt: skip
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        if abs(rows[pivot][column]) < _SINGULAR:
            raise ValueError("the samples are too much alike")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row != column:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return tuple(rows[i][size] / rows[i][i] for i in range(size))
