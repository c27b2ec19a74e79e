"""Writing a run folder: manifest, raw events, steps, looks, life cycle, and pictures; survives a kill at any byte.

``steps.jsonl`` holds two lines per step: ``{"phase": "before", ...step...}`` and ``{"phase": "after", ...step...}``
with the same ``id``; each line is the whole step as known at that moment. Lines of phase ``amended`` may follow: the
person wrote a remark or took the step back; the last line of a step counts. Pictures are in place before a line names
them, and both are synced to disk before ``write_before`` and ``write_after`` return.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from echostudio.actionlens.lines import LineFile, Write
from echostudio.actionlens.recovery import recover
from echostudio.actionlens.runreader import (
    ASSETS,
    EVENTS,
    LIFECYCLE,
    MANIFEST,
    OBSERVATIONS,
    STEPS,
    BrokenRun,
    broken_runs,
    find_run,
    list_runs,
    manifest_bytes,
    read_manifest,
    read_run,
    utc_now,
)
from echostudio.blobs import BlobStore, full_disk, write_atomic
from echostudio.desktop.controller import RawEvent
from echostudio.episode import wire
from echostudio.episode.evidence import ScreenFacts
from echostudio.episode.frame import Frame, PictureRef
from echostudio.episode.geometry import FrameBox, ScreenMap
from echostudio.episode.run import Health, Manifest
from echostudio.episode.step import Step
from echostudio.errors import RunFolderError

__all__ = [
    "BrokenRun",
    "RunWriter",
    "broken_runs",
    "find_run",
    "list_runs",
    "new_run_id",
    "read_manifest",
    "read_run",
    "recover",
    "utc_now",
]


def new_run_id() -> str:
    """Return an id for a new run: the UTC time that sorts, and four random characters."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


class RunWriter:
    """The one writer of a run folder; its methods may be called from several threads."""

    def __init__(self, path: Path, manifest: Manifest, write: Write = os.write) -> None:
        self.path = path
        self.blobs = BlobStore(path / ASSETS)
        self._manifest = manifest
        self._lock = threading.RLock()
        self._steps = LineFile(path / STEPS, write)
        self._events = LineFile(path / EVENTS, write)
        self._looks = LineFile(path / OBSERVATIONS, write)
        self._life = LineFile(path / LIFECYCLE, write)
        self._closed = False
        self._counted: set[str] = set()
        self._picture_bytes = 0
        self.stored = 0

    @classmethod
    def create(cls, runs_folder: Path, manifest: Manifest, write: Write = os.write) -> RunWriter:
        """Make the folder of a new run and write its manifest.

        ``write`` stands for the system's write call. Raises ``RunFolderError`` when the run already exists.
        """
        path = runs_folder / manifest.id
        try:
            runs_folder.mkdir(parents=True, exist_ok=True)
            path.mkdir()
        except FileExistsError as fault:
            raise RunFolderError(
                f"The run {manifest.id} already exists.", "Each run needs an id of its own."
            ) from fault
        except OSError as fault:
            raise full_disk(fault, path) from fault
        write_atomic(path / MANIFEST, manifest_bytes(manifest))
        writer = cls(path, manifest, write)
        writer.mark("started")
        _sync(path)
        _sync(runs_folder)
        return writer

    @property
    def id(self) -> str:
        """The run's id."""
        return self._manifest.id

    @property
    def manifest(self) -> Manifest:
        """The manifest as it stands on disk."""
        return self._manifest

    @property
    def bytes(self) -> int:
        """The size of pictures and lines written so far, thumbnails apart."""
        with self._lock:
            lines = sum(file.size for file in (self._steps, self._events, self._looks, self._life))
            return lines + self._picture_bytes

    def put_frame(self, frame: Frame, masks: Sequence[FrameBox] = ()) -> PictureRef:
        """Store a frame's picture once.

        ``masks`` (frame pixels) are burned in before it is written: solid boxes in the colour that most of the box
        has, so that a field looks empty and pictures of its surroundings still match.
        """
        pixels = frame.pixels
        boxes = [clipped for box in masks if (clipped := box.clipped(frame.box)).width and clipped.height]
        if boxes:
            pixels = pixels.copy()
            for box in boxes:
                inside = pixels[box.y : box.bottom, box.x : box.right]
                inside[:] = np.median(inside.reshape(-1, 3), axis=0)
        digest = self.blobs.put(pixels)
        path = self.blobs.path(digest)
        if path is not None:
            _sync(path)
            self._count(digest, path)
        return PictureRef(digest, pixels.shape[1], pixels.shape[0])

    def write_before(self, step: Step) -> None:
        """Put a step's first line on disk: everything that is known when it begins."""
        self._put(self._steps, {"phase": "before", **wire.to_json(step)}, sync=True)

    def write_after(self, step: Step) -> None:
        """Put a step's second line on disk: everything about it."""
        self._put(self._steps, {"phase": "after", **wire.to_json(step)}, sync=True)

    def write_amended(self, step: Step) -> None:
        """Put a further line of a step on disk: what the person said about it afterwards."""
        self._put(self._steps, {"phase": "amended", **wire.to_json(step)}, sync=True)

    def write_raw(self, event: RawEvent) -> None:
        """Append one input event; it survives a kill of this process at once."""
        with self._lock:
            self._events.append(wire.to_text(event))
            self.stored += 1

    def observe(self, frame: PictureRef, facts: ScreenFacts | None) -> None:
        """Append a look at the screen that belongs to no step."""
        told = None if facts is None else wire.to_json(facts)
        self._put(self._looks, {"at": utc_now(), "picture": wire.to_json(frame), "facts": told}, sync=False)

    def mark(self, kind: str, **facts: object) -> None:
        """Append to the life cycle: ``started paused resumed marked screen_changed keys_withheld stopped ...``."""
        self._put(self._life, {"kind": kind, "at": utc_now(), **facts}, sync=True)

    def describe(self, screen: ScreenMap) -> None:
        """Replace the screen map in the manifest, for monitors that changed while recording."""
        with self._lock:
            self._replace_manifest(replace(self._manifest, screen=screen))

    def close(self, health: Health, complete: bool = True) -> None:
        """End the run: the manifest gets its end and health, the files are let go. Only the first call counts."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            try:
                self.mark("stopped", complete=complete)
                ended = replace(self._manifest, ended=utc_now(), complete=complete, health=health)
                self._replace_manifest(ended)
            finally:
                for file in (self._steps, self._events, self._looks, self._life):
                    file.close()

    def _count(self, digest: str, path: Path) -> None:
        with self._lock:
            if digest not in self._counted:
                self._counted.add(digest)
                self._picture_bytes += path.stat().st_size

    def _replace_manifest(self, manifest: Manifest) -> None:
        write_atomic(self.path / MANIFEST, manifest_bytes(manifest))
        self._manifest = manifest

    def _put(self, file: LineFile, data: dict[str, Any], *, sync: bool) -> None:
        with self._lock:
            file.append(json.dumps(data, ensure_ascii=False), sync=sync)


def _sync(path: Path) -> None:
    """Force a file or a folder's entries to the disk; a file system that cannot is left to its own pace."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as fault:
        if fault.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise full_disk(fault, path) from fault
    finally:
        os.close(handle)
