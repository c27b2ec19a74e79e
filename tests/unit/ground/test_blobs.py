import errno
import threading
from pathlib import Path

import numpy as np
import pytest

from echostudio import codec
from echostudio.blobs import BlobStore, MissingPicture, write_atomic
from echostudio.errors import EchoError, RepositoryFull


def picture(seed: int = 0) -> codec.Pixels:
    return np.random.default_rng(seed).integers(0, 255, (40, 60, 3), dtype=np.uint8)


def test_the_same_picture_is_one_file_and_comes_back_exactly(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    name = store.put(picture())
    assert store.put(picture()) == name
    assert list(store.names()) == [name]
    assert np.array_equal(store.get(name), picture())
    thumb = store.thumbnail_path(name)
    assert thumb is not None
    assert codec.decode(thumb.read_bytes()).shape[1] == 240


def test_eight_threads_store_the_same_picture_at_once(tmp_path: Path) -> None:
    store, start, faults = BlobStore(tmp_path), threading.Barrier(8), []

    def put() -> None:
        start.wait()
        try:
            for seed in range(12):
                store.put(picture(seed))
        except EchoError as fault:
            faults.append(fault)

    threads = [threading.Thread(target=put) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(list(store.names())) == 12
    assert not list(tmp_path.rglob("*.part"))


def test_a_missing_picture_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MissingPicture, match="missing"):
        BlobStore(tmp_path).get("0" * 64)
    with pytest.raises(MissingPicture, match="address"):
        BlobStore(tmp_path).get("../../etc/passwd")


@pytest.mark.parametrize(("number", "kind"), [(errno.ENOSPC, RepositoryFull), (errno.EACCES, EchoError)])
def test_a_write_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[EchoError]
) -> None:
    def broken(_self: Path, _target: Path) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(kind):
        write_atomic(tmp_path / "x", b"data")
    assert list(tmp_path.iterdir()) == []


def test_the_address_depends_on_the_shape_not_on_the_encoding() -> None:
    flat = np.zeros((4, 6, 3), np.uint8)
    assert codec.digest(flat) != codec.digest(flat.reshape(6, 4, 3))
    for encode in (codec.encode_png, codec.encode_webp):
        assert codec.digest(codec.decode(encode(picture()))) == codec.digest(picture())


@pytest.mark.parametrize(
    "array", [np.zeros((4, 4), np.uint16), np.zeros((4, 4, 4), np.uint8), np.zeros((8, 4, 3), np.uint8)[::2]]
)
def test_any_usual_array_becomes_rgb(array: np.ndarray) -> None:
    made = codec.rgb(array)
    assert made.shape == (4, 4, 3)
    assert made.flags.c_contiguous


def test_changed_boxes_hold_every_changed_pixel() -> None:
    before = np.zeros((60, 80, 3), np.uint8)
    after = before.copy()
    after[10:12, 10:12] = 9
    after[40, 70] = 200
    mask = codec.changed_mask(before, after)
    boxes = codec.changed_boxes(mask)
    assert int(mask.sum()) == 5
    assert boxes == [(10, 10, 2, 2), (70, 40, 1, 1)]
