"""Hand histories in the PHH format."""
