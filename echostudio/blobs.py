"""Pictures by content address: one file per picture, whatever its encoding, shared by runs and the repository."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from echostudio import codec
from echostudio.codec import Pixels
from echostudio.errors import EchoError, RepositoryFull

_ENDINGS = (".png", ".webp")
_THUMB = ".thumb.jpg"


class MissingPicture(EchoError):
    """A picture that something refers to is not on disk, or its pixels do not have the promised address."""

    code = "missing_picture"


class BlobStore:
    """A folder ``<first two>/<digest>.png|.webp`` (and ``.thumb.jpg`` beside it)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, pixels: Pixels, *, thumb: bool = True) -> str:
        """Store a picture once and return its digest; the file is complete and in place when this returns."""
        name = codec.digest(pixels)
        if self.path(name) is None:
            base = self._base(name)
            write_atomic(base.with_suffix(".png"), codec.encode_png(pixels))
            if thumb:
                write_atomic(Path(f"{base}{_THUMB}"), codec.encode_jpeg(codec.thumbnail(pixels)))
        return name

    def get(self, name: str) -> Pixels:
        """Return the pixels; raise ``MissingPicture`` when the file is gone or damaged."""
        _, data = self._read(name)
        return codec.decode(data)

    def path(self, name: str) -> Path | None:
        """Return the file of a picture, or None."""
        base = self._base(name)
        return next((path for end in _ENDINGS if (path := base.with_suffix(end)).exists()), None)

    def thumbnail_path(self, name: str) -> Path | None:
        """Return the file of a picture's thumbnail, or None."""
        path = Path(f"{self._base(name)}{_THUMB}")
        return path if path.exists() else None

    def copy_from(self, other: BlobStore, name: str) -> None:
        """Take over a picture and its thumbnail byte for byte."""
        if self.path(name) is not None:
            return
        suffix, data = other._read(name)
        write_atomic(self._base(name).with_suffix(suffix), data)
        thumb = other.thumbnail_path(name)
        if thumb is not None:
            write_atomic(Path(f"{self._base(name)}{_THUMB}"), thumb.read_bytes())

    def names(self) -> Iterator[str]:
        """Yield every stored digest."""
        for path in self.folder.glob("??/*"):
            if path.suffix in _ENDINGS:
                yield path.stem

    def _read(self, name: str) -> tuple[str, bytes]:
        """Return a picture's file ending and bytes; raise ``MissingPicture`` when the file is gone."""
        # Repacking replaces a file by one with another ending: whoever comes too late for one finds the other.
        for _ in _ENDINGS:
            path = self.path(name)
            if path is None:
                break
            try:
                return path.suffix, path.read_bytes()
            except FileNotFoundError:
                continue
        raise MissingPicture(
            f"The picture {name[:12]} is missing in {self.folder}.", "Run `echostudio runs show` on its run."
        )

    def _base(self, name: str) -> Path:
        if len(name) != 64 or not set(name) <= set("0123456789abcdef"):
            raise MissingPicture(f"{name[:20]!r} is not a picture's address.")
        return self.folder / name[:2] / name


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that it is either whole or absent; raise ``RepositoryFull`` when the disk is full."""
    # Two threads may write the same picture at once: each needs a partial file of its own.
    partial = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as stream:
            stream.write(data)
            stream.flush()
        partial.replace(path)
    except OSError as fault:
        partial.unlink(missing_ok=True)
        raise full_disk(fault, path) from fault


def full_disk(fault: OSError, path: Path) -> EchoError:
    """Turn a write error into a sentence: disk full, or the system's own words."""
    if fault.errno in (errno.ENOSPC, errno.EDQUOT):
        return RepositoryFull(f"The disk that holds {path.parent} is full.", "Free some space and try again.")
    return EchoError(f"{path} cannot be written: {fault.strerror}.")
