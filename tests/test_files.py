"""Files are replaced whole or not at all."""

from __future__ import annotations

import gc
import lzma
import os
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest

from card_envs.damaged_files import DamagedFileError, decompress_bytes, open_arrays
from card_envs.files import replace_file, replace_text, require_parent


def test_a_file_has_its_old_content_until_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "numbers.txt"
    path.write_text("old")
    with replace_file(path) as temporary:
        assert temporary.suffix == path.suffix
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_after_an_error_the_old_file_stands_alone(tmp_path: Path) -> None:
    path = tmp_path / "numbers.txt"
    path.write_text("old")
    with pytest.raises(OSError, match="disk full"), replace_file(path) as temporary:
        temporary.write_text("half of the ne")
        raise OSError("disk full")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in ("missing", "file"):
        path = tmp_path / folder / "numbers.txt"
        with pytest.raises(OSError, match="numbers") as caught, replace_file(path):
            raise AssertionError
        assert caught.value.filename == str(path)


def test_two_writers_of_one_file_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "numbers.txt"
    with replace_file(path) as first, replace_file(path) as second:
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first"
    replace_text(path, "höher")
    assert path.read_bytes() == "höher".encode()


def test_a_missing_folder_is_named_with_the_command_that_makes_it(tmp_path: Path) -> None:
    require_parent(tmp_path / "a.json")
    with pytest.raises(
        ValueError, match=r"a\.json cannot be written: there is no folder .*; make it with `mkdir -p .*no`$"
    ):
        require_parent(tmp_path / "no" / "a.json")


def test_a_folder_is_no_file_and_a_protected_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="is a folder: name a file in it"):
        require_parent(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)  # as in a folder of somebody else
    with pytest.raises(ValueError, match=f"cannot be written: you may not write in the folder {tmp_path}"):
        require_parent(tmp_path / "a.json")


def _point_nowhere(archive: bytes) -> bytes:
    """Return a .zip file whose end names a far position of the directory."""
    place = archive.rindex(b"PK\x05\x06") + 16
    return archive[:place] + (0xFFFFFFF0).to_bytes(4, "little") + archive[place + 4 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    **{f"cut to {size} bytes": itemgetter(slice(size)) for size in (0, 3, 40, 200)},
    "no archive": lambda archive: b"no archive at all",
    "a directory nowhere": _point_nowhere,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_of_arrays_is_named_and_closed(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    np.savez(path, numbers=np.arange(10))
    with open_arrays(path, 1000) as arrays:
        assert arrays["numbers"].tolist() == list(range(10))
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.raises(DamagedFileError, match=r"arrays\.npz is damaged") as raised, open_arrays(path, 1000) as arrays:
        arrays["numbers"]
    assert "pickle" not in str(raised.value)
    gc.collect()  # a file that was left open would warn now, which fails the test


def test_a_small_file_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "zeros.npz"
    np.savez_compressed(path, numbers=np.zeros(10**6))
    assert path.stat().st_size < 20_000
    with open_arrays(path, 8_001_000) as arrays:
        assert len(arrays["numbers"]) == 10**6
    with pytest.raises(
        DamagedFileError, match=r"zeros\.npz.* takes 8,000,\d+ bytes uncompressed, more than the 10,000"
    ):
        open_arrays(path, 10_000).__enter__()


def test_compressed_bytes_are_read_up_to_a_limit() -> None:
    packed = lzma.compress(bytes(1000))
    assert decompress_bytes(packed, 1000) == bytes(1000)
    with pytest.raises(ValueError, match="more than the 999 bytes"):
        decompress_bytes(packed, 999)
    with pytest.raises(lzma.LZMAError, match="ends too early"):
        decompress_bytes(packed[:-9], 1000)
