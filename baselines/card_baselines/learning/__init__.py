"""What learners are made of: rows that grow, memories, steps of an optimiser."""
