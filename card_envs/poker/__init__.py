"""What poker players know of cards, once: ranks of hands, percentiles, equities."""
