"""`fluid2onnx report`: packs a model without its weights, for bug reports. The program contains the weights' shapes."""
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
from .files import is_onnx
from .layout import find_program
from .without_weights import without_weights

_EPILOG = """The archive contains:
  program.pdmodel or program.json   the program: operators, attributes, shapes, and names of Python files without their
                                    folders; no weights
  model.onnx                        an ONNX model with zeros instead of its weights
  report.json                       versions, and the output of 'inspect --json'
  README.txt                        how to inspect it

Attributes can contain values, such as those of paddle.assign. ONNX models keep constants of up to 8 values or 256 indices.
Review the archive before you send it."""

_README = """Made by 'fluid2onnx report'. The weights are not here, or zeros; 'fluid2onnx inspect' works without them:

    fluid2onnx inspect {0}
    fluid2onnx inspect {0} --html page.html
"""
# Fields of framework.proto.
_BLOCKS, _OPS, _ATTRIBUTES, _NAME, _TEXTS = 1, 4, 4, 1, 8
_FOLDERS = re.compile(rb'(File ")[^"]*[/\\]')


def bundle(model: str, words: "List[str]") -> "List[Tuple[str, bytes]]":
    """The files of the archive. `words`: further options of `inspect`.

    Raises:
        ModelError: there is no program.
    """
    path = find_program(model)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}") from error
    name, program = _program(str(path), content)
    report = {
        "command": ["inspect", "MODEL", *words],
        "fluid2onnx": executable.run(["--version"]).stdout.split("\n"),
        "python": sys.version,
        "system": platform.platform(),
        "processor": platform.machine(),
        "files": {entry.name: entry.stat().st_size for entry in sorted(path.parent.iterdir()) if entry.is_file() and entry.stem == path.stem},
        **_inspection(model, words),
    }
    # The only paths in it are those of the model.
    text = json.dumps(report, indent=1).replace(json.dumps(str(path.parent.resolve()))[1:-1] + "/", "")
    text = text.replace(json.dumps(str(path.parent))[1:-1] + "/", "") if str(path.parent) != "." else text
    return [(name, program), ("report.json", text.encode()), ("README.txt", _README.format(name).encode())]


def _program(path: str, content: bytes) -> "Tuple[str, bytes]":
    """What it is called in the archive, and what of it may be seen."""
    if content[:1] == b"{":
        return "program.json", content
    if not is_onnx(path):
        return "program.pdmodel", _without_folders(content)
    try:
        return "model.onnx", without_weights(content)
    except IndexError as error:
        raise ModelError(f"{path}: the file is damaged, so its weights cannot be separated from the rest") from error


def _inspection(model: str, words: "List[str]") -> Dict[str, Any]:
    done = executable.run(["inspect", model, "--json", *words])
    try:
        inspection: Any = json.loads(done.stdout)
    except ValueError:
        inspection = None
    return {"exit_status": done.returncode, "messages": done.stderr, "inspect": inspection}


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
        description="Pack a model without its weights for a bug report.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="the model, as for convert")
    parser.add_argument("-o", "--output", metavar="FILE", default="fluid2onnx-report.tar.gz", help="write this archive (default: %(default)s)")
    parser.add_argument("--params", metavar="FILE", help="read the parameters from this file or folder. Other options of inspect are allowed, too: --opset, --input-shape, --inputs and --outputs")
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
    zeros = files[0][0] == "model.onnx"
    print(("it contains zeros instead of weights, except constants of up to 8 values" if zeros else "it contains no weights") + "; review it before you send it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
