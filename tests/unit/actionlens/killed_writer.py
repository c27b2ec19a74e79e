"""A process that writes a run until it is killed; prints each step's id after its line is on disk."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from echostudio.episode.step import StepStatus
from tests.unit.actionlens.make import Hands, frame, step, writer


def main(folder: Path) -> None:
    made = writer(folder)
    for index in range(10_000):
        for event in Hands(float(index)).click().events:
            made.write_raw(event)
        one = replace(step(index), before=made.put_frame(frame(index)))
        made.write_before(one)
        print(f"before {index}", flush=True)
        made.write_after(replace(one, status=StepStatus.DONE))
        print(f"after {index}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
