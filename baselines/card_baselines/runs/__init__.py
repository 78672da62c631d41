"""The run of any training algorithm: folder, budget, checkpoints, evaluations, curves, resume."""
