"""Running the converter: in this process, or as the executable.

The wheel's module does it in this process. The executable is used where FLUID2ONNX names one, for options that only the
command line has, and in a checkout, which has no module.
"""
import json
import os
from dataclasses import replace
from typing import Any, Dict, List, Optional, Protocol, Sequence

from .errors import ConversionError
from .report import read_problem

Request = Dict[str, Any]

# Arguments of this package's functions that are not called as the command line's options are.
_ARGUMENTS = {"--input-shape": "input_shapes", "--rename": "renames", "--spec": "specs", "--custom-op": "custom_ops", "--fp16 or --bf16": "precision"}
_PRECISIONS = {"float16": "--fp16", "bfloat16": "--bf16"}


class _Module(Protocol):
    def call(self, command: str, request: str) -> str: ...


def _module() -> Optional[_Module]:
    if os.environ.get("FLUID2ONNX"):
        return None
    try:
        from . import _native  # type: ignore[attr-defined,unused-ignore]
    except ImportError:
        return None
    module: _Module = _native
    return module


def call(command: str, request: Request, options: Sequence[str] = ()) -> Any:
    """Runs a command and returns its JSON.

    `request` has the options by the names that python/native/library.cc reads; `options` are the command line's.

    Raises:
        ConversionError: the model, or what was asked for, was refused.
        MissingPackageError: there is neither the module nor the executable.
    """
    module = None if options else _module()
    if module is not None:
        return _checked(json.loads(module.call(command, json.dumps(request))), named=True)
    from . import executable  # subprocess takes longer to import than all else here

    done = executable.run([*_arguments(command, request), *options])
    answer = _read(done.stdout)
    complete = isinstance(answer, dict) and (answer.get("ok") is True or (command == "inspect" and "conversion" in answer))
    if done.returncode != 0 and not complete:
        answer = answer if isinstance(answer, dict) else {}
        answer.update(exit_status=done.returncode, text=done.stderr.strip())
    return _checked(answer, named=not options)


def _argument(place: str) -> str:
    return _ARGUMENTS.get(place) or place.lstrip("-").replace("-", "_")


def _checked(answer: Any, named: bool) -> Any:
    """`named`: the options that are wrong are arguments of this package's functions."""
    if not isinstance(answer, dict) or "exit_status" not in answer:
        return answer
    status = int(answer["exit_status"])
    problems = [read_problem(entry) for entry in answer.get("errors", [])]
    message = str(answer["text"]).strip() or "; ".join(problem.message for problem in problems)
    if not message:
        message = f"fluid2onnx was ended by signal {-status}" if status < 0 else f"fluid2onnx: exit status {status}"
    place = problems[0].place if problems else None
    if named and place and place.startswith("--"):
        problems = [replace(problem, place=_argument(place)) if problem.place == place else problem for problem in problems]
        message = message.replace(place + ": ", _argument(place) + ": ", 1)
    lowest = answer.get("lowest_opset") or (problems[0].lowest_opset if len(problems) == 1 else None)
    raise ConversionError(message, lowest_opset=lowest, exit_status=status, problems=problems)


def _read(text: str) -> Any:
    """The JSON that the executable printed; nothing if it printed none (a crash, say)."""
    try:
        return json.loads(text)
    except ValueError:
        return {}


def _arguments(command: str, request: Request) -> List[str]:
    """The same request in the terms of the command line."""
    if command == "operators":
        return ["ops", "--json"]
    arguments = [command, request["model"]]
    if "output" in request:
        arguments += ["-o", request["output"]]
    arguments.append("--json")
    for name, value in request.items():
        if name in ("params", "opset", "ir_version", "weights", "dim_names", "target"):
            arguments += ["--" + name.replace("_", "-"), str(value)]
        elif name == "input_shapes":
            arguments += [word for key, dims in value.items() for word in ("--input-shape", f"{key}={dims}")]
        elif name == "renames":
            arguments += [word for key, new in value.items() for word in ("--rename", f"{key}={new}")]
        elif name == "precision":
            arguments.append(_PRECISIONS[value])
        elif name in ("inputs", "outputs", "float32_ops", "half_ops"):
            arguments += ["--" + name.replace("_", "-"), ",".join(value)]
        elif name in ("half_io", "sync"):
            arguments.append("--" + name.replace("_", "-"))
        elif name == "specs":
            arguments += [word for path in value for word in ("--spec", path)]
        elif name == "custom_ops":
            arguments += [word for key, op in value.items() for word in ("--custom-op", f"{key}={op}")]
        elif name == "fuse":
            arguments += [] if value else ["--no-fuse"]
        elif name == "continue_on_error":
            arguments.append("--continue-on-error")
        elif name == "list_ops":
            arguments.append("--ops")
        elif name == "lod":
            arguments += ["--lod", value]
    return arguments
