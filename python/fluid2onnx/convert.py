"""Converting a saved model."""
import json
import os
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from . import executable
from .errors import ConversionError

PathLike = Union[str, "os.PathLike[str]"]

_PRECISIONS = {"float16": "--fp16", "bfloat16": "--bf16"}


def convert(
    model: PathLike,
    output: PathLike,
    *,
    params: Optional[PathLike] = None,
    opset: Optional[int] = None,
    input_shapes: Optional[Mapping[str, Sequence[Union[int, str, None]]]] = None,
    weights: str = "auto",
    precision: Optional[str] = None,
    half_io: bool = False,
    float32_ops: Sequence[str] = (),
    half_ops: Sequence[str] = (),
    options: Sequence[str] = (),
) -> Dict[str, Any]:
    """Converts a saved Paddle model to an ONNX file.

    Args:
        model: the program: `.pdmodel`, `__model__` or PIR `.json`.
        output: the ONNX file to write. It appears only when the conversion has succeeded.
        params: the file of combined parameters. By default the executable looks beside the model.
        opset: of ONNX. The default is the executable's; it is never raised behind your back.
        input_shapes: shapes that override those in the model, by input name; a dim is a size, the name of an unknown
            one, or None.
        weights: where they go: "inline", "external", "reference" or "auto".
        precision: "float16" or "bfloat16"; by default that of the program.
        half_io: with `precision`: inputs and outputs too.
        float32_ops: with `precision`: ONNX operators that stay in float32.
        half_ops: with `precision`: ONNX operators that do not, although they would; ["all"]: all that ONNX allows.
        options: further options of `fluid2onnx convert`, passed as they are.

    Returns:
        The executable's report (what `fluid2onnx convert --json` prints).

    Raises:
        ConversionError: the model was refused; its `lowest_opset` says whether a higher opset would do.
        MissingPackageError: the executable was not found.
    """
    arguments = ["convert", os.fspath(model), "-o", os.fspath(output), "--json"]
    if params is not None:
        arguments += ["--params", os.fspath(params)]
    if opset is not None:
        arguments += ["--opset", str(int(opset))]
    for name, shape in (input_shapes or {}).items():
        arguments += ["--shape", name + "=" + ",".join("-1" if dim is None else str(dim) for dim in shape)]
    if weights != "auto":
        arguments += ["--weights", weights]
    if precision is not None:
        if precision not in _PRECISIONS:
            raise ValueError(f"precision is {precision!r}; expected one of {', '.join(map(repr, _PRECISIONS))}")
        arguments.append(_PRECISIONS[precision])
    if half_io:
        arguments.append("--half-io")
    for option, operators in (("--float32-ops", float32_ops), ("--half-ops", half_ops)):
        if operators:
            arguments += [option, ",".join(operators)]
    done = executable.run([*arguments, *options])
    report = _report(done.stdout)
    if done.returncode != 0:
        raise _error(report, done.stderr, done.returncode)
    return report


def _report(text: str) -> Dict[str, Any]:
    """The JSON object that the executable printed; empty if it printed none (a crash, say)."""
    try:
        report = json.loads(text)
    except ValueError:
        return {}
    return report if isinstance(report, dict) else {}


def _error(report: Mapping[str, Any], stderr: str, status: int) -> ConversionError:
    first = report.get("error")
    if not isinstance(first, dict):
        errors = report.get("errors")
        first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else report
    message = stderr.strip() or str(first.get("message", ""))
    if not message:
        message = f"fluid2onnx was ended by signal {-status}" if status < 0 else f"fluid2onnx: exit status {status}"
    lowest = first.get("lowest_opset", report.get("lowest_opset"))
    return ConversionError(
        message,
        code=str(first.get("code", "")),
        lowest_opset=lowest if isinstance(lowest, int) else None,
        exit_status=status,
    )
