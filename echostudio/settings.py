"""All settings in one frozen tree: default, range, description; thresholds name the section of the source they follow.

The preferences page and the help texts are made from this tree. Nothing here is read from the environment.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from echostudio.blobs import write_atomic
from echostudio.errors import SettingsError


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ReaimSettings(_Group):
    """How a recorded target is found again (EchoPath, IBTR)."""

    eta_match: float = Field(0.78, ge=0.5, le=1.0, description="Lowest score of an accepted match.")
    eta_margin: float = Field(0.02, ge=0.0, le=0.5, description="Smallest gap between best and second best.")
    target_check: float = Field(0.80, ge=0.5, le=1.0, description="Lowest score of the small cut around the click.")
    target_check_size: int = Field(24, ge=12, le=64, description="Edge of the small cut around the click, in pixels.")
    scale_low: float = Field(0.5, ge=0.25, le=1.0, description="Smallest scale that is searched.")
    scale_high: float = Field(2.0, ge=1.0, le=4.0, description="Largest scale that is searched.")
    scale_step: float = Field(0.05, ge=0.01, le=0.25, description="Step between searched scales.")
    flat_deviation: float = Field(2.0, ge=0.0, le=10.0, description="Grey deviation below which a picture is flat.")
    target_crop: int = Field(48, ge=24, le=128, description="Edge of the target crop, in pixels.")
    context_crop: int = Field(96, ge=48, le=256, description="Edge of the context crop, in pixels.")
    wide_crop: int = Field(192, ge=96, le=512, description="Edge of the wide context crop, in pixels.")


# The thresholds that a memory may have of its own; all else in the search is the same for all memories.
OWN_THRESHOLDS = ("eta_match", "eta_margin", "target_check")


class RetrievalSettings(_Group):
    """When a memory may serve a request (EchoPath, gates)."""

    lambda_intent: float = Field(0.18, ge=0.0, le=1.0, description="Lowest intent score of a candidate.")
    theta_compat: float = Field(0.75, ge=0.0, le=1.0, description="Lowest compatibility of an accepted memory.")


class RecordSettings(_Group):
    """How a demonstration is watched."""

    frame_interval_ms: int = Field(33, ge=10, le=500, description="Pause between two frames of the ring.")
    ring_seconds: float = Field(4.0, ge=1.0, le=30.0, description="How far back the ring of frames reaches.")
    ring_megabytes: int = Field(600, ge=64, le=4096, description="Memory cap of the ring of frames.")
    double_click_ms: int = Field(400, ge=100, le=2000, description="Longest pause inside a double click.")
    double_click_px: int = Field(5, ge=0, le=40, description="Largest distance inside a double click.")
    tremor_px: int = Field(8, ge=1, le=60, description="A pressed pointer that moves further drags.")
    scroll_gap_ms: int = Field(500, ge=50, le=5000, description="Pause that ends a run of scroll ticks.")
    text_gap_ms: int = Field(2500, ge=200, le=20000, description="Pause that ends a run of typed text.")
    wait_gap_ms: int = Field(6000, ge=1000, le=120000, description="A longer pause becomes a wait.")
    run_megabytes: int = Field(2000, ge=0, le=1_000_000, description="A larger recording is stopped; 0 = never.")
    stop_key: str = Field("f9", min_length=1, description="Ends a recording; never part of it.")
    private_key: str = Field("shift+f9", description="Turns private mode on and off; empty for none.")
    pause_key: str = Field("", description="Pauses a recording and lets it go on; empty for none.")
    mark_key: str = Field("", description="Marks the moment; empty for none.")


class ReplaySettings(_Group):
    """How a memory is replayed."""

    settle_pixels: int = Field(200, ge=0, le=10000, description="A screen with fewer changed pixels is quiet.")
    settle_quiet_ms: int = Field(250, ge=50, le=5000, description="How long the screen must stay quiet.")
    settle_timeout_s: float = Field(8.0, ge=0.5, le=120.0, description="Longest wait for a quiet screen.")
    ready_timeout_s: float = Field(10.0, ge=0.5, le=600.0, description="Longest wait for a step's target.")
    key_interval_ms: int = Field(90, ge=0, le=1000, description="Pause between typed characters.")
    step_limit_factor: int = Field(3, ge=1, le=20, description="Steps sent at most, as a multiple of the recorded.")
    keep_candidates: int = Field(8, ge=2, le=64, description="Stored candidates per crop.")


class StudioSettings(_Group):
    """How the studio looks."""

    theme: Literal["system", "light", "dark"] = Field("system", description="Light, dark, or as the system.")
    panic_key: str = Field("ctrl+alt+q", description="Stops everything on every driven desktop.")
    thumbnail_width: int = Field(128, ge=64, le=320, description="Width of a film strip picture.")


class Settings(_Group):
    """The whole tree."""

    version: Literal[1] = 1
    reaim: ReaimSettings = ReaimSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    record: RecordSettings = RecordSettings()
    replay: ReplaySettings = ReplaySettings()
    studio: StudioSettings = StudioSettings()


def with_thresholds(policy: ReaimSettings, own: Mapping[str, float]) -> ReaimSettings:
    """Return the re-aim settings with a memory's own thresholds in place of the general ones.

    Raises ``SettingsError`` naming the threshold when there is no such one or its value is not allowed.
    """
    unknown = sorted(set(own) - set(OWN_THRESHOLDS))
    if unknown:
        raise SettingsError(f"{unknown[0]} is no threshold of a memory.", f"These are: {', '.join(OWN_THRESHOLDS)}.")
    if not own:
        return policy
    try:
        return ReaimSettings.model_validate({**policy.model_dump(), **own})
    except ValidationError as fault:
        first = fault.errors()[0]
        raise SettingsError(f"{first['loc'][0]}: {first['msg']}.", "Choose a value within its range.") from fault


def load(path: Path) -> Settings:
    """Read the settings file; a missing file gives the defaults.

    Raises ``SettingsError`` naming the option when a value is not allowed.
    """
    if not path.exists():
        return Settings()
    try:
        return Settings.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as fault:
        first = fault.errors()[0]
        option = ".".join(str(part) for part in first["loc"]) or "the file"
        raise SettingsError(f"{path}: {option}: {first['msg']}.", "Correct the value or delete the file.") from fault


def save(path: Path, settings: Settings) -> None:
    """Write the settings file as a whole."""
    write_atomic(path, json.dumps(settings.model_dump(), indent=2).encode())
