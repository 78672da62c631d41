"""Compute pins anew and write them: `python -m tests.pinned.refresh [GROUP...]`, all groups if none is named.

Only where a commit changes results on purpose, and says in its message and in CHANGELOG.md which and why: it then holds
the new pins too, so that the diff of the JSON files shows what changed and that nothing else did. A refactoring never
refreshes. `--new` keeps what is pinned, and adds what is not: a new environment, encoder, agent, preset. It needs the
machine of the file, since the hashes of a file are all compared on one.
"""

from __future__ import annotations

import argparse
import time
import warnings

from tests.pinned import pins, store
from tests.pinned.pin import Pin, machine


def refresh(group: str, only_new: bool) -> None:
    """Write the pins of a group, and print what they cost."""
    pinned = store.read(group)
    if only_new and pinned["machine"] != machine():
        raise SystemExit(f"{group} was pinned on {pinned['machine']}: refresh all of it here at the base commit first")
    old = pinned["pins"] if only_new else {}
    start = time.process_time()
    found: dict[str, Pin] = {}
    for name in pins.GROUPS[group].names():
        found[name] = old.get(name) or pins.GROUPS[group].compute(name)
        store.write(group, found)  # after each, so that `--new` goes on where a long one was interrupted
    print(f"{group}: {len(found)} pins, {time.process_time() - start:.0f} s of processor time", flush=True)


def main() -> None:
    """Refresh the groups that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"some of {', '.join(pins.GROUPS)}")
    parser.add_argument("--new", action="store_true", help="keep what is pinned, add what is not")
    arguments = parser.parse_args()
    unknown = set(arguments.groups) - set(pins.GROUPS)
    if unknown:
        parser.error(f"no group {sorted(unknown)}: choose from {list(pins.GROUPS)}")
    warnings.simplefilter("ignore")
    for group in arguments.groups or pins.GROUPS:
        refresh(group, arguments.new)


if __name__ == "__main__":
    main()
