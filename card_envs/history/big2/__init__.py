"""Big 2 deals as text."""
