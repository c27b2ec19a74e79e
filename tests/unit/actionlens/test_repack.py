"""Repacking a run's pictures: smaller, equal to the pixel, safe against kills and damage."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from echostudio.actionlens import repack as packing
from echostudio.actionlens.repack import repack
from echostudio.blobs import BlobStore
from echostudio.cancel import CancelToken
from echostudio.errors import RepositoryFull
from tests.unit.actionlens.make import frame


def store(folder: Path, count: int = 4) -> tuple[BlobStore, list[str]]:
    blobs = BlobStore(folder / "assets")
    return blobs, [blobs.put(frame(seed, width=80, height=60).pixels) for seed in range(count)]


def endings(blobs: BlobStore) -> set[str]:
    return {path.suffix for path in blobs.folder.glob("??/*") if path.suffix in (".png", ".webp")}


def test_every_picture_stays_equal_to_the_pixel_under_its_address(tmp_path: Path) -> None:
    blobs, names = store(tmp_path)
    done = repack(blobs.folder, CancelToken())
    assert (done.pictures, done.left, done.damaged) == (4, 0, ())
    assert endings(blobs) == {".webp"}
    for seed, name in enumerate(names):
        assert np.array_equal(blobs.get(name), frame(seed, width=80, height=60).pixels)
    assert repack(blobs.folder, CancelToken()).pictures == 0


def test_a_plain_screen_gets_smaller(tmp_path: Path) -> None:
    blobs = BlobStore(tmp_path)
    pixels = np.full((400, 600, 3), 240, np.uint8)
    pixels[::20, :, :] = 30
    blobs.put(pixels)
    done = repack(tmp_path, CancelToken())
    assert done.after < done.before


def test_a_kill_between_the_new_file_and_the_old_ones_end_is_made_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs, names = store(tmp_path, 1)
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        repack(blobs.folder, CancelToken())
    monkeypatch.undo()
    assert endings(blobs) == {".png", ".webp"}
    assert np.array_equal(blobs.get(names[0]), frame(0, width=80, height=60).pixels)
    assert list(blobs.names()).count(names[0]) >= 1
    assert repack(blobs.folder, CancelToken()).pictures == 1
    assert endings(blobs) == {".webp"}


def test_a_damaged_picture_is_named_and_left_alone(tmp_path: Path) -> None:
    blobs, names = store(tmp_path, 3)
    wrong, torn = (blobs.path(name) for name in names[:2])
    assert wrong is not None
    assert torn is not None
    other = blobs.path(names[2])
    assert other is not None
    wrong.write_bytes(other.read_bytes())
    torn.write_bytes(torn.read_bytes()[:50])
    done = repack(blobs.folder, CancelToken())
    assert set(done.damaged) == set(names[:2])
    assert done.pictures == 1
    assert wrong.exists()
    assert torn.exists()


def test_it_stops_when_asked_and_says_what_is_left(tmp_path: Path) -> None:
    blobs, _ = store(tmp_path)
    token = CancelToken()
    token.cancel()
    assert repack(blobs.folder, token).left == 4
    assert repack(blobs.folder, CancelToken(), seconds=-1).left == 4
    assert endings(blobs) == {".png"}


def test_a_full_disk_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs, names = store(tmp_path, 1)

    def full(_path: Path, _data: bytes) -> None:
        raise RepositoryFull("The disk is full.")

    monkeypatch.setattr(packing, "write_atomic", full)
    with pytest.raises(RepositoryFull):
        repack(blobs.folder, CancelToken())
    assert np.array_equal(blobs.get(names[0]), frame(0, width=80, height=60).pixels)


def test_a_reader_never_misses_a_picture_that_is_repacked(tmp_path: Path) -> None:
    blobs, names = store(tmp_path, 24)
    faults: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                for name in names:
                    blobs.get(name)
        except Exception as fault:  # noqa: BLE001 - handed to the test's own thread
            faults.append(fault)

    reader = threading.Thread(target=read)
    reader.start()
    repack(blobs.folder, CancelToken())
    done.set()
    reader.join()
    assert faults == []
    assert not [path for path in tmp_path.rglob("*.part") if os.path.exists(path)]
