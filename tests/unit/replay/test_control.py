import threading

import pytest

from echostudio.cancel import CancelToken, ManualClock, SystemClock, wait_until
from echostudio.errors import Cancelled
from echostudio.replay.control import ReplayControl


def holding(control: ReplayControl) -> threading.Thread:
    entered = threading.Event()

    def hold() -> None:
        entered.set()
        try:
            control.hold()
        except Cancelled:
            return

    thread = threading.Thread(target=hold)
    thread.start()
    assert entered.wait(2)
    return thread


def test_a_breakpoint_pauses_and_resume_goes_on() -> None:
    control = ReplayControl()
    control.breakpoints.add(2)
    assert not control.should_hold(1)
    assert control.should_hold(2)
    thread = holding(control)
    assert thread.is_alive()
    control.resume()
    thread.join(2)
    assert not thread.is_alive()


def test_a_single_step_passes_a_breakpoint_once_and_pauses_again() -> None:
    control = ReplayControl()
    control.breakpoints.add(0)
    assert control.should_hold(0)
    control.step()
    assert not control.should_hold(0)
    control.step_done()
    assert control.should_hold(1)


def test_stop_ends_a_pause_at_once() -> None:
    control = ReplayControl()
    control.pause()
    thread = holding(control)
    control.stop()
    thread.join(2)
    assert not thread.is_alive()
    with pytest.raises(Cancelled, match="person"):
        control.token.check()


def test_waits_run_on_fake_time_and_end_when_cancelled() -> None:
    clock, token = ManualClock(), CancelToken()
    begun = clock.now()
    assert not wait_until(lambda: False, clock, token, timeout=5.0)
    assert 5.0 <= clock.now() - begun < 5.1
    assert wait_until(lambda: clock.now() > begun + 7, clock, token, timeout=5.0)
    token.cancel("enough")
    with pytest.raises(Cancelled, match="enough"):
        clock.sleep(1, token)
    with pytest.raises(Cancelled, match="enough"):
        SystemClock().sleep(30, token)
