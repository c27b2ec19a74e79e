"""Open the studio, or run a command."""

from __future__ import annotations

from pathlib import Path

from echostudio import cli


def _open_studio(home: Path | None, page: str | None, shot: Path | None, theme: str | None, size: str | None) -> int:
    """Open the window; Qt is imported only here, so that commands start quickly."""
    from echostudio.studio import app

    return app.run(home, page, shot, theme, size)


def main() -> None:
    """Run the program."""
    cli.run(_open_studio)


if __name__ == "__main__":
    main()
