"""Finding and running the fluid2onnx executable."""
import functools
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import List, Optional, Sequence

from .errors import MissingPackageError

_NAME = "fluid2onnx.exe" if os.name == "nt" else "fluid2onnx"


def find() -> str:
    """The path of the executable.

    Looked for in the environment variable FLUID2ONNX, beside this package (`bin/`), and on PATH.

    Raises:
        MissingPackageError: it is at none of these, or FLUID2ONNX names no executable file.
    """
    named = os.environ.get("FLUID2ONNX")
    if named:
        found = shutil.which(named)
        if not found:
            raise MissingPackageError(f"the environment variable FLUID2ONNX is '{named}'; expected an executable file")
        return found
    bundled = Path(__file__).resolve().parent / "bin" / _NAME
    if os.access(bundled, os.X_OK):
        return str(bundled)
    found = shutil.which(_NAME)
    if not found:
        raise MissingPackageError(
            "the executable 'fluid2onnx' was not found; put it on PATH or name it in the environment variable FLUID2ONNX"
        )
    return found


def use(path: Optional[str]) -> str:
    """Makes `path` what `find()` gives from now on, in child processes too; None leaves things as they are.

    Returns:
        What `find()` gives.
    Raises:
        MissingPackageError: as `find()`.
    """
    if path:
        os.environ["FLUID2ONNX"] = path
    return find()


def run(arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Runs the executable to its end, whatever its exit status; stdout and stderr are captured as text."""
    command: List[str] = [find(), *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace", check=False)


def opsets() -> range:
    """The opsets that the executable writes, as `--version` prints them."""
    return _opsets_of(find())


@functools.lru_cache(maxsize=None)
def _opsets_of(path: str) -> range:
    version = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    match = re.search(r"^opsets (\d+) to (\d+)$", version, re.MULTILINE)
    if not match:
        raise MissingPackageError(f"'{path} --version' does not print the opsets; set FLUID2ONNX to a current fluid2onnx")
    return range(int(match[1]), int(match[2]) + 1)
