"""Colours, spaces and fonts from one token file per theme; turned into a palette and the one style sheet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from string import Template
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from echostudio.paths import resource

FAMILIES: Final = ("Inter", "Noto Sans", "Segoe UI", "SF Pro Text", "Cantarell", "Ubuntu", "DejaVu Sans")
CHOICES: Final = ("system", "light", "dark")


@dataclass(frozen=True)
class Theme:
    """One theme file: its name, colours by token, spaces in pixels, and type sizes in pixels."""

    name: str
    colours: dict[str, str]
    space: dict[str, int]
    type: dict[str, float]

    def colour(self, token: str, alpha: float = 1.0) -> QColor:
        """Return the colour of a token, made translucent by ``alpha`` (0 to 1)."""
        colour = QColor(self.colours[token])
        colour.setAlphaF(alpha)
        return colour

    def font(self, size: str = "base", *, bold: bool = False) -> QFont:
        """Return the studio's font in a named size, with digits of equal width."""
        font = QFont(QApplication.font())
        font.setPixelSize(round(self.type[size]))
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return font


def load(name: str) -> Theme:
    """Read a theme file by its name (``light`` or ``dark``)."""
    data = json.loads(resource("themes", f"{name}.json").read_text(encoding="utf-8"))
    return Theme(data["name"], data["colours"], data["space"], data["type"])


class _Current:
    """Holds the theme that is painted with now."""

    theme: Theme | None = None


def current() -> Theme:
    """Return the theme that is painted with now."""
    if _Current.theme is None:
        _Current.theme = load("light")
    return _Current.theme


def apply(app: QApplication, choice: str) -> Theme:
    """Switch the whole program to ``light``, ``dark`` or what the system prefers; works while it runs."""
    _Current.theme = load(resolve(choice))
    theme = _Current.theme
    app.setStyle("Fusion")
    app.setFont(_font(theme))
    app.setPalette(_palette(theme))
    app.setStyleSheet(_sheet(theme))
    return theme


def resolve(choice: str) -> str:
    """Return ``light`` or ``dark`` for a choice of the settings."""
    if choice in ("light", "dark"):
        return choice
    scheme = QApplication.styleHints().colorScheme()
    return "dark" if scheme == Qt.ColorScheme.Dark else "light"


def _font(theme: Theme) -> QFont:
    present = set(QFontDatabase.families())
    font = QFont(next((family for family in FAMILIES if family in present), QApplication.font().family()))
    font.setPixelSize(round(theme.type["base"]))
    font.setFeature(QFont.Tag("tnum"), 1)
    font.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    if font.family().startswith("DejaVu"):
        font.setStretch(90)  # DejaVu is a tenth wider than every other family in the list
    return font


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for roles, token in (
        ((role.Window, role.AlternateBase), "window"),
        ((role.Base,), "panel"),
        ((role.Button, role.ToolTipBase, role.Light), "raised"),
        ((role.Mid, role.Dark), "line"),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText, role.BrightText), "text"),
        ((role.PlaceholderText,), "faint"),
        ((role.Highlight, role.Link, role.Accent), "accent"),
        ((role.HighlightedText,), "on_accent"),
    ):
        for one in roles:
            palette.setColor(one, theme.colour(token))
    for one in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, theme.colour("faint"))
    return palette


def _sheet(theme: Theme) -> str:
    template = Template(resource("themes", "studio.qss").read_text(encoding="utf-8"))
    return template.substitute(theme.colours, **{name: f"{size:g}" for name, size in theme.type.items()})
