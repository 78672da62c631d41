"""Algorithms that learn equilibrium strategies with neural networks, one file for each.

`sd_cfr` (Single Deep CFR, Deep CFR), `dream`, `nfsp`, `mmd`, and `tabular_mccfr` as the reference without networks;
`distill` trains a network to play like another agent. `benchmark` compares them by exact exploitability.
"""
