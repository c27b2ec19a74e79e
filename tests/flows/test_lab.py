"""What-if re-aim over the scripted line: the same decision as a replay, own thresholds, targets picked again."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from echostudio import cli, codec
from echostudio.cancel import CancelToken
from echostudio.codec import PictureError
from echostudio.desktop import host
from echostudio.episode.evidence import CropKind, CropVariant
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory
from echostudio.episode.verdict import Outcome, ReaimResult
from echostudio.errors import Cancelled, SettingsError, UsageError
from echostudio.operations import edit, lab, lab_search, promote, retarget
from echostudio.reaim import perturb
from echostudio.replay import start
from tests.flows.line import Line


@pytest.fixture
def memory(line: Line) -> Memory:
    return line.active()


def pointer_step(memory: Memory) -> int:
    """The last one, a button: what was typed before lies far from it, so that pixels alone can tell it."""
    return [step.index for step in memory.program if step.targets][-1]


def recorded_screen(line: Line, memory: Memory, step: int) -> lab.LabScreen:
    return lab.open_screen(line.services, memory, lab.screens(line.services, memory, step)[0])


def activated(line: Line, memory: Memory) -> Memory:
    edit.run_checks(line.services, memory.id)
    return promote.promote(line.services, memory.id, "tried in the Lab")


class TestLooking:
    def test_a_recorded_screen_accepts_its_own_target_at_the_recorded_place(self, line: Line, memory: Memory) -> None:
        step = pointer_step(memory)
        result = lab.look(line.services, memory, step, "", recorded_screen(line, memory, step))
        assert result.accepted, result.sentence
        assert result.point == memory.program[step].targets["target"].point

    def test_the_pictures_of_replays_are_offered_and_decide_as_the_replay_did(self, line: Line, memory: Memory) -> None:
        report = line.replayed(memory, line.editor(window_at=(90, 50)))
        step = pointer_step(memory)
        stored = [one for one in lab.screens(line.services, memory, step) if one.kind == "replay"]
        assert [one.run for one in stored] == [report.run]
        screen = lab.open_screen(line.services, memory, stored[0])
        again = lab.look(line.services, memory, step, "", screen)
        done = report.steps[step].reaim["target"]
        assert (again.accepted, again.point) == (done.accepted, done.point)
        assert lab.allowed(memory.program[step].targets["target"], screen) is not None

    def test_an_erased_target_is_refused_and_nothing_is_stored(self, line: Line, memory: Memory) -> None:
        step = pointer_step(memory)
        screen = recorded_screen(line, memory, step)
        point = memory.program[step].targets["target"].point
        gone = perturb.erase(screen.frame.pixels, FrameBox(point.x - 30, point.y - 9, 60, 18))
        result = lab.look(line.services, memory, step, "", lab.screen_of(gone))
        assert not result.accepted
        assert result.code is not None
        assert result.code.local

    def test_a_step_without_a_target_is_a_usage_error_that_names_those_with_one(self, memory: Memory) -> None:
        bare = next(step.index for step in memory.program if not step.targets)
        with pytest.raises(UsageError) as fault:
            lab.target(memory, bare)
        assert str(pointer_step(memory)) in fault.value.hint
        with pytest.raises(UsageError):
            lab.target(memory, 99)
        with pytest.raises(UsageError):
            lab.target(memory, pointer_step(memory), "from")

    def test_every_crop_is_surveyed_and_the_deciding_ones_stay_as_they_were(self, line: Line, memory: Memory) -> None:
        step = pointer_step(memory)
        screen = recorded_screen(line, memory, step)
        policy = lab.policy_of(line.services, memory)
        result = lab.look(line.services, memory, step, "", screen)
        pictures = lab.recorded(line.services, memory, step)
        found = lab_search.survey(screen.frame.pixels, pictures, result, policy)
        assert {one.kind for one in found} >= {"target", "context", "wide_context"}
        assert result.crops[0] in found

    def test_the_map_is_brightest_where_the_target_lies_and_the_curve_at_its_scale(
        self, line: Line, memory: Memory
    ) -> None:
        step = pointer_step(memory)
        screen = recorded_screen(line, memory, step)
        context = lab.recorded(line.services, memory, step).of_variant(CropVariant.BEFORE)[CropKind.CONTEXT]
        heat = lab_search.heatmap(screen.frame, context, lab.policy_of(line.services, memory))
        crops = memory.program[step].targets["target"].crops
        middle = next(crop.box for crop in crops if crop.kind is CropKind.CONTEXT).center
        row, column = np.unravel_index(int(heat.values.argmax()), heat.values.shape)
        assert abs(int(column) * heat.factor - middle.x) <= 3 * heat.factor
        assert abs(int(row) * heat.factor - middle.y) <= 3 * heat.factor
        top = max(heat.curve, key=lambda one: one.best)
        assert top.scale == pytest.approx(1.0)
        assert top.best > 0.99
        assert all(one.second <= one.best for one in heat.curve)

    def test_a_cancelled_search_stops(self, line: Line, memory: Memory) -> None:
        step, token = pointer_step(memory), CancelToken()
        token.cancel()
        with pytest.raises(Cancelled):
            lab.look(line.services, memory, step, "", recorded_screen(line, memory, step), None, token)

    def test_a_live_desktop_is_looked_at_once_and_not_touched(
        self, line: Line, memory: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desktop = line.editor()
        monkeypatch.setattr(host, "open_display", lambda _display: desktop)
        screen = lab.grab(":97")
        assert screen.facts is not None
        step = pointer_step(memory)
        assert lab.allowed(memory.program[step].targets["target"], screen) is not None
        assert desktop.performed == []

    @pytest.mark.parametrize("source", [b"", b"no picture", Path("/nowhere/at/all.png")])
    def test_what_is_no_picture_is_said(self, source: Path | bytes) -> None:
        with pytest.raises(PictureError) as fault:
            lab.load_screen(source)
        assert fault.value.hint


class TestThresholds:
    def test_the_thresholds_in_force_flip_nothing_and_stricter_ones_flip_the_narrow(
        self, line: Line, memory: Memory
    ) -> None:
        report = line.replayed(memory, line.editor())
        policy = lab.policy_of(line.services, memory)
        assert lab.flips(line.services, memory, policy) == ()
        margins = {index: step.reaim["target"].margin for index, step in enumerate(report.steps) if step.reaim}
        narrow = min(margins, key=lambda index: margins[index])
        stricter = policy.model_copy(update={"eta_margin": margins[narrow] + 0.001})
        flipped = lab.flips(line.services, memory, stricter)
        assert [(flip.run, flip.step, flip.was, flip.would) for flip in flipped if flip.step == narrow] == [
            (report.run, narrow, True, False)
        ]

    def test_saved_thresholds_need_a_reason_make_an_event_and_a_candidate(self, line: Line, memory: Memory) -> None:
        services = line.services
        policy = lab.policy_of(services, memory).model_copy(update={"eta_match": 0.7})
        with pytest.raises(UsageError):
            lab.save_policy(services, memory, policy, "  ")
        stored = lab.save_policy(services, memory, policy, "the font is drawn softer there")
        assert stored.policy == {"eta_match": 0.7}
        assert stored.state is LifecycleState.CANDIDATE
        assert stored.revision == memory.revision + 1
        event = services.repository.events(memory.id)[-1]
        assert event.kind == "revised"
        assert event.reason == "thresholds: eta_match 0.78 to 0.7. the font is drawn softer there"
        assert services.repository.get(memory.id) == stored
        assert services.repository.in_use(memory.id).policy == {}
        assert services.repository.verify() == []

    def test_the_same_thresholds_again_or_foreign_ones_are_refused(self, line: Line, memory: Memory) -> None:
        with pytest.raises(UsageError):
            lab.save_policy(line.services, memory, lab.policy_of(line.services, memory), "no change")
        broken = replace(memory, policy={"eta_match": 7.0})
        with pytest.raises(SettingsError):
            lab.policy_of(line.services, broken)
        with pytest.raises(SettingsError):
            lab.policy_of(line.services, replace(memory, policy={"scale_low": 0.7}))

    def test_a_replay_uses_them_once_the_revision_is_active(self, line: Line, memory: Memory) -> None:
        services = line.services
        general = lab.policy_of(services, memory)
        strict = lab.save_policy(services, memory, general.model_copy(update={"eta_margin": 0.5}), "twins are likely")
        by_element = line.replayed(activated(line, strict), line.editor())
        back = lab.save_policy(services, services.repository.get(memory.id), general, "they are not")
        assert back.policy == {}
        by_pixels = line.replayed(activated(line, back), line.editor())
        narrow = [step.index for step in by_pixels.steps for one in step.reaim.values() if one.margin < 0.5]
        assert narrow
        assert all(by_pixels.steps[index].reaim["target"].crop == "context" for index in narrow)
        assert all(
            one.method == "element" or one.margin >= 0.5 for step in by_element.steps for one in step.reaim.values()
        )

    def test_a_revision_from_before_they_existed_is_read_and_whole(self, line: Line, memory: Memory) -> None:
        with closing(sqlite3.connect(line.services.home / "library" / "library.sqlite")) as database, database:
            database.execute("UPDATE memory_revision SET body = json_remove(body, '$.policy')")
        assert line.services.repository.get(memory.id) == memory
        assert line.services.repository.verify() == []

    def test_the_start_is_judged_by_them_too(self, line: Line, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        used: list[float] = []
        search = start.targeting.look

        def watched(*given: Any, **more: Any) -> ReaimResult:
            used.append(given[4].reaim.eta_match)
            return search(*given, **more)

        monkeypatch.setattr(start.targeting, "look", watched)
        for asked in (memory, replace(memory, policy={"eta_match": 0.9})):
            line.replayed(asked, line.editor(), dry_run=True)
        assert set(used) == {0.78, 0.9}
        assert used[0] == 0.78
        assert used[-1] == 0.9


class TestRetargeting:
    def test_a_target_picked_on_a_replays_screen_is_a_revision_with_tested_evidence_that_replays(
        self, line: Line, memory: Memory
    ) -> None:
        services, step = line.services, pointer_step(memory)
        report = line.replayed(memory, line.editor(window_at=(90, 50)))
        stored = next(one for one in lab.screens(services, memory, step) if one.run == report.run)
        screen = lab.open_screen(services, memory, stored)
        point = report.steps[step].reaim["target"].point
        assert point is not None
        evidence = memory.program[step].targets["target"]
        proposal = retarget.proposed(screen, point, lab.allowed(evidence, screen), lab.policy_of(services, memory))
        fresh = retarget.repick(services, memory, step, "", screen, proposal, "the old picture was blurred")
        made = fresh.program[step].targets["target"]
        assert fresh.state is LifecycleState.CANDIDATE
        assert made.point == point
        assert made.self_test is not None
        assert made.self_test == retarget.tested(screen.frame.pixels, proposal, lab.policy_of(services, memory))
        assert {crop.picture.digest for crop in made.crops} == {stored.picture.digest}
        assert services.repository.blobs.path(stored.picture.digest) is not None
        assert "the old picture was blurred" in services.repository.events(memory.id)[-1].reason
        again = lab.look(services, fresh, step, "", screen)
        assert again.accepted, again.sentence
        assert again.point == point
        assert line.replayed(activated(line, fresh), line.editor()).outcome is Outcome.VERIFIED

    def test_an_adjusted_crop_keeps_point_element_and_the_other_variant(self, line: Line, memory: Memory) -> None:
        step = pointer_step(memory)
        before = memory.program[step].targets["target"]
        own = next(crop.box for crop in before.crops if crop.kind is CropKind.CONTEXT)
        wider = FrameBox(own.x, own.y, own.width + 30, own.height + 10)
        fresh = retarget.adjust_crop(line.services, memory, step, "", CropKind.CONTEXT, wider, "the twin needs more")
        after = fresh.program[step].targets["target"]
        assert (after.point, after.element, len(after.crops)) == (before.point, before.element, len(before.crops))
        changed = {crop.box for crop in after.crops if crop.kind is CropKind.CONTEXT}
        assert changed == {wider.clipped(recorded_screen(line, memory, step).frame.box)}
        assert after.self_test is not None

    def test_no_reason_no_place_outside_and_no_unknown_crop(self, line: Line, memory: Memory) -> None:
        services, step = line.services, pointer_step(memory)
        screen = recorded_screen(line, memory, step)
        policy = lab.policy_of(services, memory)
        good = retarget.as_recorded(memory.program[step].targets["target"])
        with pytest.raises(UsageError):
            retarget.repick(services, memory, step, "", screen, good, " ")
        with pytest.raises(UsageError):
            retarget.proposed(screen, FramePoint(-4, 2), None, policy)
        bad, box = replace(good, point=FramePoint(1, 1)), FrameBox(0, 0, 90, 90)
        with pytest.raises(UsageError):
            retarget.repick(services, memory, step, "", screen, bad, "why not")
        with pytest.raises(UsageError):
            retarget.adjust_crop(services, memory, step, "", CropKind.WIDENED, box, "why not")
        assert services.repository.get(memory.id).revision == memory.revision

    def test_a_dragged_edge_never_leaves_the_click_nor_the_picture(self) -> None:
        picture = FrameBox(0, 0, 400, 300)
        boxes = {
            CropKind.TARGET: FrameBox(176, 126, 48, 48),
            CropKind.CONTEXT: FrameBox(152, 102, 96, 96),
            CropKind.WIDE: FrameBox(104, 54, 192, 192),
        }
        proposal = retarget.Proposal(FramePoint(200, 150), boxes)
        away = proposal.moved(CropKind.CONTEXT, FrameBox(300, 200, 500, 500), picture)
        assert all(box.contains(proposal.point) for box in away.boxes.values())
        assert all(box.clipped(picture) == box for box in away.boxes.values())
        assert away.boxes[CropKind.WIDE].clipped(away.boxes[CropKind.CONTEXT]) == away.boxes[CropKind.CONTEXT]


class TestCommand:
    def run(self, line: Line, *words: str) -> Result:
        return CliRunner().invoke(cli.build(lambda *_: 0), ["--home", str(line.services.home), "reaim", *words])

    def picture(self, line: Line, memory: Memory, step: int, tmp_path: Path, *, blank: bool = False) -> str:
        pixels = recorded_screen(line, memory, step).frame.pixels
        path = tmp_path / "screen.png"
        path.write_bytes(codec.encode_png(np.zeros_like(pixels) if blank else pixels))
        return str(path)

    def test_accepted_is_0_with_the_map_as_a_picture(self, line: Line, memory: Memory, tmp_path: Path) -> None:
        step = pointer_step(memory)
        screen, heat = self.picture(line, memory, step, tmp_path), tmp_path / "heat.png"
        done = self.run(line, memory.id, str(step), "--screen", screen, "--heatmap", str(heat), "--json")
        body: dict[str, Any] = json.loads(done.stdout)
        assert done.exit_code == 0, done.output
        point = memory.program[step].targets["target"].point
        assert body["accepted"] is True
        assert body["point"] == {"x": point.x, "y": point.y}
        assert {"score", "margin", "scale", "check", "crops", "policy", "sentence"} - {"score"} <= set(body)
        assert codec.decode(heat.read_bytes()).shape == codec.decode(Path(screen).read_bytes()).shape
        plain = self.run(line, memory.id, str(step), "--screen", screen)
        assert plain.exit_code == 0
        assert "accepted" in plain.output

    def test_refused_is_4(self, line: Line, memory: Memory, tmp_path: Path) -> None:
        step = pointer_step(memory)
        screen = self.picture(line, memory, step, tmp_path, blank=True)
        done = self.run(line, memory.id, str(step), "--screen", screen, "--json")
        assert done.exit_code == 4, done.output
        assert json.loads(done.stdout)["condition"] == "blank"

    def test_the_rest_is_2_or_7(self, line: Line, memory: Memory, tmp_path: Path) -> None:
        step = pointer_step(memory)
        bare = next(one.index for one in memory.program if not one.targets)
        screen = self.picture(line, memory, step, tmp_path)
        broken = tmp_path / "broken.png"
        broken.write_bytes(b"\x89PNG nothing more")
        asked = {
            (memory.id, str(bare), screen): (2, "usage"),
            (memory.id, "99", screen): (2, "usage"),
            (memory.id, str(step), str(broken)): (7, "picture"),
            (memory.id, str(step), str(tmp_path / "none.png")): (7, "picture"),
            ("no-such-memory", str(step), screen): (7, "unknown_memory"),
        }
        for (name, index, picture), (code, error) in asked.items():
            done = self.run(line, name, index, "--screen", picture, "--json")
            assert done.exit_code == code, done.output
            assert json.loads(done.stdout)["error"]["code"] == error
