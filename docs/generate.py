"""Write the generated pages: text that people wrote, with tables that come from the code and from stored results.

The text of a page stands beside it in `_<page>.md`, a Jinja template. Other pages keep generated tables between two
comments, `<!-- table(arguments): begin, written by docs/generate.py -->` and `<!-- table(arguments): end -->`, where
`table` is a public function of `env_tables.py` or `result_tables.py`. Run `python docs/generate.py` after a change;
tests compare.
"""

from __future__ import annotations

import re
from pathlib import Path

import env_tables
import result_tables
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from card_baselines.big2_benchmark import BIG2
from card_baselines.six_max_benchmark import LIMIT, NO_LIMIT
from card_envs.envs import ENVS

DOCS = Path(__file__).parent
REGION = re.compile(r"<!-- (.+?): begin, written by docs/generate\.py -->\n.*?<!-- \1: end -->", re.S)

TEMPLATES = Environment(loader=FileSystemLoader(DOCS), undefined=StrictUndefined, keep_trailing_newline=False)
for module in (env_tables, result_tables):
    own = {name: each for name, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__}
    TEMPLATES.globals |= {name: each for name, each in own.items() if not name.startswith("_")}
TEMPLATES.globals |= {"ENVS": ENVS, "BIG2": BIG2, "LIMIT": LIMIT, "NO_LIMIT": NO_LIMIT}


def pages() -> dict[Path, str]:
    """Return the text of every page that is generated, whole or in part."""
    sources = [source for source in sorted(DOCS.rglob("_*.md")) if not source.name.startswith("_part_")]
    whole = {source.with_name(source.name.removeprefix("_")): whole_page(source) for source in sources}
    others = [DOCS.parent / "README.md", *(page for page in DOCS.rglob("[!_]*.md") if "_build" not in page.parts)]
    texts = {page: page.read_text(encoding="utf-8") for page in others if page not in whole}
    return whole | {page: with_regions(text) for page, text in texts.items() if REGION.search(text)}


def whole_page(source: Path) -> str:
    """Return the page that a template makes; `entry` is its environment, where it has one."""
    entries = {f"_{env_tables.page_name(entry)}.md": entry for entry in ENVS.values()}
    template = TEMPLATES.get_template(source.relative_to(DOCS).as_posix())
    text = template.render({"entry": entries[source.name]} if source.name in entries else {})
    return f"<!-- Written by docs/generate.py from {source.name}: edit that file. -->\n\n{text.rstrip()}\n"


def with_regions(text: str) -> str:
    """Return a text with everything between the two comments of a generated part written anew."""

    def written_anew(region: re.Match[str]) -> str:
        begin, end = (f"<!-- {region[1]}: {place} -->" for place in ("begin, written by docs/generate.py", "end"))
        return f"{begin}\n\n{TEMPLATES.from_string('{{ ' + region[1] + ' }}').render()}\n\n{end}"

    return REGION.sub(written_anew, text)


def main() -> None:
    """Write all pages that have changed."""
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(DOCS.parent)}")


if __name__ == "__main__":
    main()
