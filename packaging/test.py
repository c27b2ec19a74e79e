"""Check everything on any machine: ``python3 packaging/test.py [arguments of pytest]``.

Installs what is missing, the sample programs of the tests included, then runs the linters, the type checker, the
import contracts and the tests. One that fails does not keep the others from running. Needs nothing but Python 3.11.
"""

import os
import subprocess
import sys
import tempfile
import time
from typing import IO

if sys.version_info < (3, 11):  # noqa: UP036 - older ones read this line, and must understand the whole file
    sys.stderr.write(f"echostudio: this is Python {sys.version.split()[0]}, and 3.11 or newer is needed.\n")
    sys.exit(7)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import setup_machine as setup

NEEDS = (*setup.STUDIO, *setup.VIRTUAL_DESKTOP, *setup.DEMO, *setup.TESTS)
CONTRACTS = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
CHECKS = (
    ("ruff check", ("-m", "ruff", "check", ".")),
    ("ruff format", ("-m", "ruff", "format", "--check", ".")),
    ("mypy", ("-m", "mypy")),
    ("lint-imports", ("-c", CONTRACTS)),
)


# Without arguments the tests on real programs, which mostly wait for those, run beside everything else.
BESIDE = ("pytest, real programs", ("-m", "pytest", "-m", "desktop"))
REST = ("pytest, the rest", ("-m", "pytest", "-m", "not desktop"))


def start(command: "list[str]", output: "IO[bytes] | None" = None) -> "subprocess.Popen[bytes]":
    """Start one check in the project's folder; its words go to ``output``, else to the terminal."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "LANG": "C.UTF-8"}
    environment.pop("LC_ALL", None)  # it would outrank LANG
    errors = subprocess.STDOUT if output is not None else None
    return subprocess.Popen(command, cwd=str(setup.PROJECT), env=environment, stdout=output, stderr=errors)


def finish(running: "subprocess.Popen[bytes]") -> int:
    """Wait for a check and return its exit code."""
    while True:
        try:
            return running.wait()
        except KeyboardInterrupt:  # the check got it too, and ends in its own way
            continue


def main() -> int:
    """Make the machine ready, run every check, print what came of each."""
    python = str(setup.prepare(NEEDS, extras=("dev",)))
    outcomes = []
    whole = not sys.argv[1:]
    begun = time.monotonic()
    with tempfile.TemporaryFile() as words:
        beside = start([python, *BESIDE[1]], words) if whole else None
        tests = REST if whole else ("pytest", ("-m", "pytest", *sys.argv[1:]))
        for name, arguments in (*CHECKS, tests):
            print(f"\n--- {name}", flush=True)
            started = time.monotonic()
            code = finish(start([python, *arguments]))
            outcomes.append((name, code, time.monotonic() - started))
        if beside is not None:
            code = finish(beside)
            outcomes.append((BESIDE[0], code, time.monotonic() - begun))
            print(f"\n--- {BESIDE[0]}", flush=True)
            words.seek(0)
            sys.stdout.write(words.read().decode("utf-8", "replace"))
    print("\n--- summary")
    for name, code, seconds in outcomes:
        verdict = f"FAILED (exit {code})" if code else "ok"
        print(f"{name:22} {verdict:18} {seconds:6.1f} s")
    return 0 if all(code == 0 for _, code, _ in outcomes) else 1


if __name__ == "__main__":
    sys.exit(setup.guarded(main))
