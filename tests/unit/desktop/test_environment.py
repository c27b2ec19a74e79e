from __future__ import annotations

from pathlib import Path

from echostudio.desktop.environment import for_programs, virtual_settings


def settings(base: dict[str, str], home: Path | None = None) -> dict[str, str]:
    return virtual_settings(base, ":5", Path("/run/desk"), "unix:path=/run/desk/bus", "mark", home)


def test_programs_of_a_virtual_desktop_reach_its_display_and_bus_only() -> None:
    base = {
        "PATH": "/bin",
        "WAYLAND_DISPLAY": "wayland-0",
        "DISPLAY": ":0",
        "AT_SPI_BUS_ADDRESS": "unix:path=/other",
        "NO_AT_BRIDGE": "1",
        "QT_QPA_PLATFORM": "offscreen",
        "GTK_IM_MODULE": "ibus",
    }
    whole = for_programs(base, ":5", settings(base))
    assert (whole["DISPLAY"], whole["DBUS_SESSION_BUS_ADDRESS"]) == (":5", "unix:path=/run/desk/bus")
    assert (whole["PATH"], whole["QT_QPA_PLATFORM"]) == ("/bin", "xcb")
    assert not {"WAYLAND_DISPLAY", "AT_SPI_BUS_ADDRESS", "NO_AT_BRIDGE", "GTK_IM_MODULE"} & whole.keys()


def test_the_hosts_session_stays_but_foreign_qt_plugins_go() -> None:
    base = {"XAUTHORITY": "/a", "GTK_IM_MODULE": "ibus", "QT_QPA_PLATFORM_PLUGIN_PATH": "/cv2"}
    assert for_programs(base, ":0", {}) == {"XAUTHORITY": "/a", "GTK_IM_MODULE": "ibus", "DISPLAY": ":0"}


def test_what_the_caller_adds_wins() -> None:
    assert for_programs({}, ":5", settings({}), {"GTK_MODULES": "none"})["GTK_MODULES"] == "none"


def test_a_throw_away_home_takes_the_settings_with_it() -> None:
    found = settings({}, Path("/tmp/home"))
    assert (found["HOME"], found["XDG_CONFIG_HOME"]) == ("/tmp/home", "/tmp/home/.config")
    assert "HOME" not in settings({})


def test_a_utf8_locale_stays_and_any_other_is_replaced() -> None:
    assert "LANG" not in settings({"LANG": "de_DE.UTF-8"})
    assert "LANG" not in settings({"LANG": "C", "LC_ALL": "fr_FR.utf8"})
    assert settings({"LANG": "de_DE.UTF-8", "LC_ALL": "C"})["LC_ALL"] == "C.UTF-8"
    assert settings({})["LANG"] == "C.UTF-8"
