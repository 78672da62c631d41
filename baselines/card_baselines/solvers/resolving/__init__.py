"""Re-solving the river while playing."""
