"""A window that turns red the moment a button goes down on it, and white again when it goes up.

``python -m tests.desktop.red_on_press :5`` prints ``ready x y`` (the middle of the window) once it is shown.
"""

from __future__ import annotations

import sys

from Xlib import X
from Xlib.display import Display

SIZE = 300
RED, WHITE = 0xFF0000, 0xFFFFFF


def main(name: str) -> None:
    display = Display(name)
    root = display.screen().root
    window = root.create_window(
        0, 0, SIZE, SIZE, 0, display.screen().root_depth, X.InputOutput, X.CopyFromParent,
        background_pixel=WHITE,
        event_mask=X.ButtonPressMask | X.ButtonReleaseMask | X.ExposureMask,
    )  # fmt: skip
    window.set_wm_name("Red on press")
    window.set_wm_class("red", "Red")
    window.map()
    shown = False
    while True:
        event = display.next_event()
        if event.type == X.Expose and not shown:
            shown = True
            place = window.translate_coords(root, 0, 0)
            print("ready", -place.x + SIZE // 2, -place.y + SIZE // 2, flush=True)
        elif event.type in (X.ButtonPress, X.ButtonRelease):
            window.change_attributes(background_pixel=RED if event.type == X.ButtonPress else WHITE)
            window.clear_area()
            display.flush()


if __name__ == "__main__":
    main(sys.argv[1])
