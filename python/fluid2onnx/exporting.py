"""Exporting a live `paddle.nn.Layer` or program."""
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, List, Optional, Sequence

from .conversion import convert
from .errors import MissingPackageError, ModelError
from .files import PathLike
from .report import Report

if TYPE_CHECKING:
    from pathlib import Path


def export(
    model: Any,
    output: Optional[PathLike] = None,
    input_spec: Optional[Sequence[Any]] = None,
    *,
    feed: Sequence[Any] = (),
    fetch: Sequence[Any] = (),
    scope: Any = None,
    opset: Optional[int] = None,
    save: Optional[Any] = None,
    **conversion: Any,
) -> Report:
    """Saves a layer or a program with Paddle 2.6 or 3 to a temporary folder, and converts it.

    A layer is saved in evaluation mode, and is then set to its previous mode.

    Args:
        model: a `paddle.nn.Layer`, a function of `paddle.jit.to_static`, or a `paddle.static.Program`.
        output: the ONNX file to write. None: the report's `onnx` contains the model.
        input_spec: for a layer: the `InputSpec`s (None for an unknown dim) or example tensors for `paddle.jit.save`. Not needed if the
            layer's forward was decorated with them.
        feed: for a program: its inputs, as variables or names.
        fetch: for a program: its outputs, as variables or names.
        scope: for a program: the scope with its parameters. Default: the global scope.
        opset: the ONNX opset.
        save: further arguments of `paddle.jit.save` by name, such as `{"output_spec": [...]}`.
        conversion: further arguments of `convert`, such as `precision`.

    Raises:
        ConversionError: the model cannot be converted.
        MissingPackageError: Paddle or the converter is not installed.
        ModelError: Paddle could not save the model.
    """
    if model is None or isinstance(model, (str, bytes, os.PathLike)):
        raise TypeError(f"expected a layer, a function or a program, not {model!r:.80}; convert() takes saved models")
    try:
        import paddle
    except ImportError as error:
        raise MissingPackageError("exporting a layer needs paddlepaddle (pip install paddlepaddle)") from error

    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as folder:
        prefix = Path(folder) / "model"
        if hasattr(model, "global_block"):
            _save_program(paddle, model, prefix, feed, fetch, scope)
        else:
            _save_layer(paddle, model, prefix, input_spec, dict(save or {}))
        params = prefix.with_suffix(".pdiparams")
        return convert(_saved_program(prefix), output, params=params if params.exists() else None, opset=opset, **conversion)


def _save_layer(paddle: Any, layer: Any, prefix: "Path", input_spec: Optional[Sequence[Any]], save: "dict[str, Any]") -> None:
    was_training = bool(getattr(layer, "training", False))
    if was_training:
        layer.eval()
    try:
        paddle.jit.save(layer, str(prefix), input_spec=input_spec, **save)
    except Exception as error:  # whatever tracing the user's own Python raises
        raise ModelError(f"paddle.jit.save failed: {error}") from error
    finally:
        if was_training:
            layer.train()


def _save_program(paddle: Any, program: Any, prefix: "Path", feed: Sequence[Any], fetch: Sequence[Any], scope: Any) -> None:
    if not fetch:
        raise ValueError("a program needs its outputs: export(program, ..., feed=[...], fetch=[...])")
    static = paddle.static
    with static.scope_guard(scope) if scope is not None else nullcontext():
        try:
            executor = static.Executor(paddle.CPUPlace())
            static.save_inference_model(
                os.fspath(prefix), _variables(program, feed), _variables(program, fetch), executor, program=program
            )
        except Exception as error:
            raise ModelError(f"paddle.static.save_inference_model failed: {error}") from error


def _variables(program: Any, wanted: Sequence[Any]) -> List[Any]:
    """Variables by their names; values of Paddle 3 have names only where they are inputs."""
    block = program.global_block()
    if not any(isinstance(item, str) for item in wanted):
        return list(wanted)
    if hasattr(block, "var") and not hasattr(block.ops[0] if block.ops else None, "results"):
        return [block.var(item) if isinstance(item, str) else item for item in wanted]
    named = {op.attrs()["name"]: op.result(0) for op in block.ops if op.name() in ("pd_op.data", "pd_op.feed")}
    return [named[item] if isinstance(item, str) else item for item in wanted]


def _saved_program(prefix: "Path") -> "Path":
    """Paddle 2 writes a ProgramDesc, Paddle 3 writes JSON."""
    for suffix in (".pdmodel", ".json"):
        program = prefix.with_suffix(suffix)
        if program.exists():
            return program
    raise ModelError("Paddle wrote neither .pdmodel nor .json")
