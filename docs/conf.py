"""Sphinx settings: `make docs` writes HTML into docs/_build/html."""

import re
import sys
from pathlib import Path

REPO = Path(__file__).parents[1]
# The reference imports what it describes.
sys.path[:0] = [str(REPO / folder) for folder in (".", "wrappers", "baselines")]

from card_envs.extras import EXTRA_OF  # noqa: E402  # found on the path above

project = "card-envs"
author = "the card-envs authors"
copyright = author
_source = (REPO / "card_envs" / "__init__.py").read_text(encoding="utf-8")
release = version = re.search(r'__version__ = "(.+)"', _source)[1]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_*.md", "**/_*.md"]  # _*.md: text of the pages that generate.py writes

autodoc_default_options = {"undoc-members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
# napoleon takes a shape such as "(n, num_actions): ..." for a type and looks its names up
suppress_warnings = ["ref.python"]
# The reference is built with the group `docs` and no extra: what extras install is not imported. Numba reads the
# version of SciPy, and does without it.
autodoc_mock_imports = sorted({*EXTRA_OF, "pydantic"} - {"scipy"})
default_role = "literal"  # docstrings write names as `name`

html_theme = "furo"
html_title = "card-envs"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
