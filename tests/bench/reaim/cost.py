"""Memory and large frames. ``python3 -m tests.bench.reaim.cost FOLDER`` prints the extra memory of one re-aim."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from echostudio import codec
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.reaim import re_aim
from tests.bench.reaim.cases import Case, Trial, frame, load
from tests.bench.reaim.measure import POLICY, aim

STATUS = Path("/proc/self/status")
ROOT = Path(__file__).parents[3]


def extra_memory(folder: Path) -> float | None:
    """Highest extra resident memory of one re-aim at full HD, in MB, in a process of its own; None where unknown."""
    if not STATUS.exists():
        return None
    command = [sys.executable, "-m", "tests.bench.reaim.cost", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return float(json.loads(done.stdout)["extra_mb"])


def large_frame_ratio(cases: list[Case]) -> tuple[float, int]:
    """Median of the time on a screen drawn twice as large, divided by the time on the screen itself; and how many."""
    ratios = []
    for case in cases:
        height, width = case.pixels.shape[:2]
        pixels = codec.resize(case.pixels, 2 * width, 2 * height)
        click, box = FramePoint(2 * case.click.x, 2 * case.click.y), case.widget
        widget = FrameBox(2 * box.x, 2 * box.y, 2 * box.width, 2 * box.height)
        large = replace(case, pixels=pixels, click=click, widget=widget)
        ratios.append(_median_ms(large) / _median_ms(case))
    return float(np.median(ratios)), len(ratios)


def _median_ms(case: Case) -> float:
    return float(np.median([aim(Trial(case, "identity", case.pixels, case.click))[1] for _ in range(3)]))


def _status(key: str) -> float:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(key))
    return float(line.split()[1]) / 1024


def main() -> None:
    """Print how far re-aims, of four cases present and absent, lift this process's highest resident memory."""
    cv2.setNumThreads(1)
    cases = load(Path(sys.argv[1]))
    tiny = cases[0].pixels[:200, :300]
    for case in cases[:4]:
        re_aim(frame(tiny), case.evidence, POLICY)
    # What an earlier re-aim left to the allocator is not there for the later ones: one start for all.
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    for case in cases[:4]:
        foreign = next(other.pixels for other in cases if other.screen != case.screen)
        for pixels in (case.pixels, foreign):
            re_aim(frame(pixels), case.evidence, POLICY)
    worst = _status("VmHWM") - before
    print(json.dumps({"extra_mb": round(worst, 1)}))


if __name__ == "__main__":
    main()
