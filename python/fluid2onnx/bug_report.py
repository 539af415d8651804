"""`fluid2onnx report`: packs what a report of a bug needs. Weights are left out; the program says their shapes."""
import argparse
import io
import json
import os
import platform
import re
import sys
import tarfile
from typing import Any, Dict, List, Optional, Tuple

from . import executable, wire
from .errors import Fluid2OnnxError, ModelError
from .layout import find_program

_EPILOG = """The archive holds:
  program.pdmodel or program.json   the program: operators, their attributes, shapes; no weights, and of the Python that made it
                                    only names of files, without their folders
  report.json                       versions, and what 'inspect --json' says
  README.txt                        how to look at it

Attributes can hold numbers (of paddle.assign, say). Look at the archive before you send it."""

_README = """Made by 'fluid2onnx report'. The weights are not here; 'fluid2onnx inspect' works without them:

    fluid2onnx inspect program.pdmodel
    fluid2onnx inspect program.pdmodel --html program.html
"""
# Fields of framework.proto.
_BLOCKS, _OPS, _ATTRIBUTES, _NAME, _TEXTS = 1, 4, 4, 1, 8
_FOLDERS = re.compile(rb'(File ")[^"]*[/\\]')


def bundle(model: str, words: "List[str]") -> "List[Tuple[str, bytes]]":
    """The files of the archive. `words`: further options of `inspect`.

    Raises:
        ModelError: there is no program.
    """
    if model.endswith(".onnx"):
        raise ModelError("reports are of Paddle's programs; ONNX files hold their weights")
    path = find_program(model)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}") from error
    pir = content[:1] == b"{"
    told = {
        "command": ["inspect", "MODEL", *words],
        "fluid2onnx": executable.run(["--version"]).stdout.split("\n"),
        "python": sys.version,
        "system": platform.platform(),
        "processor": platform.machine(),
        "files": {entry.name: entry.stat().st_size for entry in sorted(path.parent.iterdir()) if entry.is_file() and entry.stem == path.stem},
        **_inspection(model, words),
    }
    # The only paths in it are those of the model.
    text = json.dumps(told, indent=1).replace(json.dumps(str(path.parent.resolve()))[1:-1] + "/", "")
    text = text.replace(json.dumps(str(path.parent))[1:-1] + "/", "") if str(path.parent) != "." else text
    program = content if pir else _without_folders(content)
    return [("program.json" if pir else "program.pdmodel", program), ("report.json", text.encode()), ("README.txt", _README.encode())]


def _inspection(model: str, words: "List[str]") -> Dict[str, Any]:
    done = executable.run(["inspect", model, "--json", *words])
    try:
        told: Any = json.loads(done.stdout)
    except ValueError:
        told = None
    return {"exit_status": done.returncode, "messages": done.stderr, "inspect": told}


def _without_folders(program: bytes) -> bytes:
    """Lines of Python stay, the folders that they are in go."""

    def attribute(content: bytes) -> bytes:
        if wire.text(content, _NAME) != "op_callstack":
            return content
        return wire.replace(content, _TEXTS, lambda line: _FOLDERS.sub(rb"\1", line))

    def block(content: bytes) -> bytes:
        return wire.replace(content, _OPS, lambda op: wire.replace(op, _ATTRIBUTES, attribute))

    try:
        return wire.replace(program, _BLOCKS, block)
    except IndexError:  # a damaged program is what the report is about
        return program


def main(words: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="fluid2onnx report",
        description="Packs what a report of a bug needs, without weights.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="the program, as for convert")
    parser.add_argument("-o", "--output", metavar="FILE", default="fluid2onnx-report.tar.gz", help="the archive to write (default: %(default)s)")
    parser.add_argument("--params", metavar="FILE", help="as for inspect; so are --opset, --input-shape, --inputs and --outputs")
    arguments, rest = parser.parse_known_args(words)
    if arguments.params:
        rest += ["--params", arguments.params]
    try:
        files = bundle(arguments.model, rest)
        with tarfile.open(arguments.output, "w:gz") as archive:
            for name, content in files:
                entry = tarfile.TarInfo("fluid2onnx-report/" + name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    except Fluid2OnnxError as error:
        print(f"fluid2onnx report: error: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        print(f"fluid2onnx report: error: {arguments.output}: {error.strerror}", file=sys.stderr)
        return 3
    size = os.path.getsize(arguments.output)
    print(f"written    {arguments.output}, {size / 1000:.1f} kB: {', '.join(name for name, _ in files)}")
    print("no weights are in it; look at it before you send it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
