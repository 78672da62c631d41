"""Sphinx settings: `make docs` writes HTML into docs/_build/html."""

import re
from pathlib import Path

project = "card-envs"
author = "the card-envs authors"
copyright = author
_source = (Path(__file__).parents[1] / "card_envs" / "__init__.py").read_text(encoding="utf-8")
release = version = re.search(r'__version__ = "(.+)"', _source)[1]

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_*.md", "**/_*.md"]  # _*.md: text of the pages that generate.py writes

html_theme = "furo"
html_title = "card-envs"
