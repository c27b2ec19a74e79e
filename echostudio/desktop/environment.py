"""The environment in which programs run on a desktop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

# Names that lead programs to another session, another toolkit back end, or another program's Qt plugins.
_FOREIGN = frozenset(
    {
        "WAYLAND_DISPLAY",
        "WAYLAND_SOCKET",
        "XAUTHORITY",
        "SESSION_MANAGER",
        "DESKTOP_STARTUP_ID",
        "XDG_ACTIVATION_TOKEN",
        "XDG_SESSION_ID",
        "XDG_CURRENT_DESKTOP",
        "XDG_SESSION_DESKTOP",
        "AT_SPI_BUS_ADDRESS",
        "NO_AT_BRIDGE",
        "GTK_IM_MODULE",
        "QT_IM_MODULE",
        "XMODIFIERS",
        "WINDOWID",
    }
)
_QT_PLUGINS = frozenset({"QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "QT_QPA_FONTDIR", "QT_QPA_PLATFORM"})

TAG = "ECHOSTUDIO_DESKTOP"


def virtual_settings(
    base: Mapping[str, str], display: str, runtime: Path, bus: str, tag: str, home: Path | None
) -> dict[str, str]:
    """Return what programs on a virtual desktop get on top of the caller's environment.

    ``bus`` is the address of the desktop's session bus, ``runtime`` its XDG_RUNTIME_DIR, ``tag`` the mark by which
    its processes are found again, ``home`` a throw-away home or None for the person's own.
    """
    settings = {
        "DISPLAY": display,
        "DBUS_SESSION_BUS_ADDRESS": bus,
        "XDG_RUNTIME_DIR": str(runtime),
        "XDG_SESSION_TYPE": "x11",
        "GDK_BACKEND": "x11",
        "QT_QPA_PLATFORM": "xcb",
        "GTK_MODULES": "gail:atk-bridge",
        "QT_ACCESSIBILITY": "1",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "GNOME_ACCESSIBILITY": "1",
        TAG: tag,
    }
    if home is not None:
        settings["HOME"] = str(home)
        for name, place in (("CONFIG", ".config"), ("DATA", ".local/share"), ("CACHE", ".cache")):
            settings[f"XDG_{name}_HOME"] = str(home / place)
    if not _is_utf8(base):
        settings["LANG"] = settings["LC_ALL"] = "C.UTF-8"
    return settings


def for_programs(
    base: Mapping[str, str], display: str, settings: Mapping[str, str], extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the whole environment of a program on ``display``.

    ``settings`` are a virtual desktop's (empty for the host, whose session variables then stay); ``extra`` wins.
    """
    dropped = _QT_PLUGINS | (_FOREIGN if settings else frozenset())
    kept = {name: value for name, value in base.items() if name not in dropped}
    return {**kept, "DISPLAY": display, **settings, **(extra or {})}


def _is_utf8(base: Mapping[str, str]) -> bool:
    """Whether the caller's locale writes UTF-8; the first of the three names that is set decides."""
    named = base.get("LC_ALL") or base.get("LC_CTYPE") or base.get("LANG") or ""
    return named.lower().replace("-", "").endswith("utf8")
