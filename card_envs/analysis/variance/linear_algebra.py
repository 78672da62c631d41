"""Linear algebra of small matrices for the regression on controls: kernels.

NumPy hands products and systems of this size to a BLAS that may start a thread per core. On a busy machine its threads
wait for each other longer than they calculate: a regression of a match of 60 hands took 2.4 of 2.6 processor seconds.
These loops run in the calling thread, and the order of their sums does not depend on how hands were batched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel


@kernel
def add_products(rows: Any, folds: Any, moments: Any) -> None:
    """Add the products of the numbers of each row (n, k) to moments[folds[row]], (k, k) each, below the diagonal."""
    for row in range(rows.shape[0]):
        fold = folds[row]
        for i in range(rows.shape[1]):
            if rows[row, i] != 0.0:
                for j in range(i + 1):
                    moments[fold, i, j] += rows[row, i] * rows[row, j]


@kernel
def solve_ridges(matrix: Any, vector: Any, ridges: Any, factor: Any, solutions: Any) -> None:
    """Write into solutions[r] (ridges, k) the solution of (matrix + ridges[r] I) x = vector, by Cholesky factors.

    `matrix` (k, k) is symmetric and has no negative eigenvalue, ridges are positive; `factor` (k, k) is overwritten.
    """
    size = matrix.shape[0]
    for r in range(ridges.shape[0]):
        x = solutions[r]
        for j in range(size):  # row j of the upper factor, from the rows above it
            for c in range(j, size):
                factor[j, c] = matrix[j, c]
            factor[j, j] += ridges[r]
            total = vector[j]
            for above in range(j):
                share = factor[above, j]
                for c in range(j, size):
                    factor[j, c] -= share * factor[above, c]
                total -= share * x[above]
            root = np.sqrt(factor[j, j])
            for c in range(j, size):
                factor[j, c] /= root
            x[j] = total / root
        for j in range(size - 1, -1, -1):
            total = x[j]
            for c in range(j + 1, size):
                total -= factor[j, c] * x[c]
            x[j] = total / factor[j, j]
