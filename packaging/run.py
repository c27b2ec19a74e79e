"""Start EchoStudio on any machine: ``python3 packaging/run.py [arguments of echostudio]``.

Installs what is missing, then becomes ``echostudio`` with the given arguments. Without arguments it opens the studio
where there is a display, and runs the demonstration where there is none. Needs nothing but Python 3.11.
"""

import os
import subprocess
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - older ones read this line, and must understand the whole file
    sys.stderr.write(f"echostudio: this is Python {sys.version.split()[0]}, and 3.11 or newer is needed.\n")
    sys.exit(7)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import setup_machine as setup

OPTIONS_WITH_VALUE = ("--home", "--open", "--shot", "--theme", "--size")
NEEDS = {
    "": setup.STUDIO,
    "demo": (*setup.STUDIO, *setup.VIRTUAL_DESKTOP),
    "desktop": setup.VIRTUAL_DESKTOP,
    "rehearse": setup.VIRTUAL_DESKTOP,
}
EVERYTHING = (*setup.STUDIO, *setup.VIRTUAL_DESKTOP, *setup.DEMO)


def command_of(arguments: "list[str]") -> str:
    """Return the name of the command in the arguments; empty when they open the studio."""
    words = iter(arguments)
    for word in words:
        if word in OPTIONS_WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""


def has_display() -> bool:
    """Return whether a window could be shown here."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def main() -> int:
    """Make the machine ready and become the program."""
    arguments = sys.argv[1:]
    if not arguments and not has_display():
        setup.say("there is no display here, so this runs the demonstration on virtual ones")
        arguments = ["demo"]
    python = str(setup.prepare(NEEDS.get(command_of(arguments), ()), wished=EVERYTHING))
    # -P: a folder called numpy or packaging where the person stands must not be taken for the package.
    command = [python, "-P", "-m", "echostudio", *arguments]
    if os.name == "nt":
        return subprocess.call(command)  # there is no true exec on Windows
    return os.execv(python, command)


if __name__ == "__main__":
    sys.exit(setup.guarded(main))
