"""Texas hold'em, limit and no-limit, and every smaller poker game that the same betting rules cover (Kuhn, Leduc)."""
