"""The commands that the wheel installs: they become the programs in `bin/` beside this file."""
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, NoReturn

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def _become(name: str, arguments: "List[str]") -> "NoReturn":
    program = os.path.join(_PACKAGE, "bin", name + (".exe" if os.name == "nt" else ""))
    if not os.path.exists(program):
        sys.exit(f"{name}: error: {program} is missing\n  hint: remove a checkout of fluid2onnx from PYTHONPATH, or install the wheel")
    # `fluid2onnx validate` asks this Python for the package.
    os.environ.setdefault("FLUID2ONNX_PYTHON", sys.executable)
    if os.name == "nt":
        # The shell would not wait for a program that takes the place of another.
        import subprocess

        sys.exit(subprocess.run([program, *arguments], check=False).returncode)
    os.execv(program, [name, *arguments])


def fluid2onnx() -> "NoReturn":
    """The converter."""
    _become("fluid2onnx", sys.argv[1:])


def opgen() -> "NoReturn":
    """The compiler of specs; outside of a checkout it knows the specs that this package was built from."""
    arguments = sys.argv[1:]
    if not os.path.isdir("opspecs") and not any(word == "--root" or word.startswith("--root=") for word in arguments):
        arguments += ["--root", os.path.join(_PACKAGE, "share")] if arguments else []
    _become("opgen", arguments)
