from hypothesis import given, settings
from hypothesis import strategies as st

from echostudio.episode.geometry import DesktopBox, DesktopPoint, FrameBox, FramePoint, Monitor, ScreenMap


@st.composite
def screen_maps(draw: st.DrawFn) -> ScreenMap:
    """One to three monitors in a row, some left of the origin, each with its own scale."""
    scales = draw(st.lists(st.sampled_from([1.0, 1.25, 1.5, 1.75, 2.0]), min_size=1, max_size=3))
    sizes = [(draw(st.integers(200, 400)) * 4, draw(st.integers(150, 300)) * 4) for _ in scales]
    x = -draw(st.integers(0, sum(width for width, _ in sizes)))
    frame_x, monitors = 0, []
    for number, (scale, (width, height)) in enumerate(zip(scales, sizes, strict=True)):
        y = draw(st.integers(-200, 200))
        monitors.append(Monitor(f"m{number}", DesktopBox(x, y, width, height), FramePoint(frame_x, 0), scale))
        x += width
        frame_x += monitors[-1].frame_box.width
    return ScreenMap(tuple(monitors))


@settings(max_examples=150, deadline=None)
@given(screen_maps(), st.data())
def test_desktop_to_frame_and_back_is_the_same_place(screen: ScreenMap, data: st.DataObject) -> None:
    monitor = data.draw(st.sampled_from(screen.monitors))
    x = data.draw(st.integers(monitor.desktop.x, monitor.desktop.x + monitor.desktop.width - 1))
    y = data.draw(st.integers(monitor.desktop.y, monitor.desktop.y + monitor.desktop.height - 1))
    point = DesktopPoint(x, y)
    assert screen.to_desktop(screen.to_frame(point)) == point


@settings(max_examples=150, deadline=None)
@given(screen_maps(), st.data())
def test_every_frame_pixel_lands_on_its_own_monitor(screen: ScreenMap, data: st.DataObject) -> None:
    monitor = data.draw(st.sampled_from(screen.monitors))
    box = monitor.frame_box
    point = FramePoint(data.draw(st.integers(box.x, box.right - 1)), data.draw(st.integers(box.y, box.bottom - 1)))
    assert monitor.desktop.contains(screen.to_desktop(point))


def test_a_point_off_every_monitor_goes_by_the_nearest() -> None:
    screen = ScreenMap.single(100, 80)
    assert screen.to_frame(DesktopPoint(-5, 90)) == FramePoint(-5, 90)


def test_boxes_clip_overlap_and_contain() -> None:
    box = FrameBox(10, 10, 20, 20)
    assert box.clipped(FrameBox(25, 5, 50, 10)) == FrameBox(25, 10, 5, 5)
    assert not box.overlaps(FrameBox(30, 10, 5, 5))
    assert box.contains(FramePoint(29, 29))
    assert not box.contains(FramePoint(30, 29))
    assert box.grown(2) == FrameBox(8, 8, 24, 24)
