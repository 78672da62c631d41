"""Hand abstraction for Texas hold'em: hands in the same bucket are played alike.

`equity_buckets` splits hands by their estimated equity, `hand_buckets` by the distribution of their equity. The latter
are computed by `clustering`, found at a table by `lookup`, and on a whole board by `hand_buckets.BoardBuckets`.
"""
