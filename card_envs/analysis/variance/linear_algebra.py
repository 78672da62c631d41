"""Kernels for the linear algebra of small matrices, for the regression on control variates.

For products and systems of this size, NumPy calls a BLAS that may start a thread per core. On a busy machine its
threads wait longer than they compute: the regression took 2.4 of 2.6 processor seconds of a match of 60 hands. These
loops run in the calling thread, and the order of their sums does not depend on the batches of hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel


@kernel
def add_products(rows: Any, folds: Any, moments: Any) -> None:
    """Add the outer product of each row (n, k) to moments[folds[row]], (k, k), on and below the diagonal."""
    for row in range(rows.shape[0]):
        fold = folds[row]
        for i in range(rows.shape[1]):
            if rows[row, i] != 0.0:
                for j in range(i + 1):
                    moments[fold, i, j] += rows[row, i] * rows[row, j]


@kernel
def solve_ridges(matrix: Any, vector: Any, ridges: Any, factor: Any, solutions: Any) -> None:
    """Write into solutions[r] (ridges, k) the solution of (matrix + ridges[r] I) x = vector, by Cholesky factors.

    `matrix` (k, k) must be symmetric and positive semidefinite, `ridges` positive. `factor` (k, k) is scratch space.
    """
    for r in range(ridges.shape[0]):
        _write_factor(matrix, ridges[r], factor)
        solutions[r] = vector
        _solve_factored(factor, solutions[r])


@kernel
def _write_factor(matrix: Any, ridge: Any, factor: Any) -> None:
    """Write the upper Cholesky factor of matrix + ridge I, row by row."""
    size = matrix.shape[0]
    for j in range(size):
        for c in range(j, size):
            factor[j, c] = matrix[j, c]
        factor[j, j] += ridge
        for above in range(0, j - j % 4, 4):  # four rows at a time, so that row j is read and written less often
            a, b = factor[above, j], factor[above + 1, j]
            d, e = factor[above + 2, j], factor[above + 3, j]
            for c in range(j, size):
                factor[j, c] -= (
                    a * factor[above, c]
                    + b * factor[above + 1, c]
                    + d * factor[above + 2, c]
                    + e * factor[above + 3, c]
                )
        for above in range(j - j % 4, j):
            a = factor[above, j]
            for c in range(j, size):
                factor[j, c] -= a * factor[above, c]
        root = np.sqrt(factor[j, j])
        for c in range(j, size):
            factor[j, c] /= root


@kernel
def _solve_factored(factor: Any, x: Any) -> None:
    """Replace the right-hand side x by the solution, given the upper Cholesky factor of the matrix."""
    size = factor.shape[0]
    for j in range(size):
        for above in range(j):
            x[j] -= factor[above, j] * x[above]
        x[j] /= factor[j, j]
    for j in range(size - 1, -1, -1):
        for c in range(j + 1, size):
            x[j] -= factor[j, c] * x[c]
        x[j] /= factor[j, j]
