"""Training scripts that read top to bottom, and what they share: rollouts, run folder, checkpoint."""
