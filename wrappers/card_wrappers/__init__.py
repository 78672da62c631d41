"""The games behind other people's interfaces: one third-party API per file."""
