"""Pictures of tables for people: a small drawing layer (`canvas`) and one drawing for each family of games."""
