"""What matches and strategies are worth: exploitability, variance reduction, play statistics."""
