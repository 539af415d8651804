"""Converting a saved model."""
import os
from contextlib import ExitStack
from typing import Any, Dict, Mapping, Optional, Sequence

from . import engine
from .errors import ConversionError
from .files import PathLike, Source, as_file, is_onnx
from .report import Problem, Report, read_report
from .request import Dims, add, names, paths, shapes

_PRECISIONS = ("float16", "bfloat16")
_WEIGHTS = ("auto", "inline", "external", "reference")


def convert(
    model: Source,
    output: Optional[PathLike] = None,
    *,
    params: Optional[Source] = None,
    opset: Optional[int] = None,
    ir_version: Optional[int] = None,
    input_shapes: Optional[Mapping[str, Dims]] = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    renames: Optional[Mapping[str, str]] = None,
    dim_names: str = "",
    weights: str = "auto",
    precision: Optional[str] = None,
    half_io: bool = False,
    float32_ops: Sequence[str] = (),
    half_ops: Sequence[str] = (),
    fuse: bool = True,
    lod: str = "",
    specs: Sequence[PathLike] = (),
    custom_ops: Optional[Mapping[str, str]] = None,
    continue_on_error: bool = False,
    target: str = "",
    options: Sequence[str] = (),
) -> Report:
    """Converts a Paddle model to ONNX, or an ONNX model to a Paddle program.

    Prints nothing. Releases the GIL while it converts.

    Args:
        model: a Paddle program: the path of a `.pdmodel`, `__model__` or PIR `.json`, a folder, a prefix, or the bytes. Or an ONNX model:
            the path or the bytes. For an ONNX model, only `output`, `input_shapes`, `inputs`, `outputs` and `renames` are allowed.
        output: the ONNX file to write; for an ONNX model, `X.pdmodel`, or `X.json` for Paddle 3, and `X.pdiparams` beside it. The file is
            replaced only if the conversion succeeds. None: the report's `onnx`, or its `program` and `params`, contain the result.
        params: the file or folder of the parameters, or the bytes of combined parameters. Default: the parameters beside the model.
        opset: the ONNX opset, 7 to 28 (default: 17). It is never raised automatically.
        ir_version: the IR version of the ONNX file. Default: the lowest that allows the opset, at least 4. Version 3, for opsets 7 and
            8, also lists the weights among the graph's inputs.
        input_shapes: shapes of inputs by name, which override those of the model. A shape is a list of dims (a size, a name, or None if
            unknown), or text as on the command line, such as "batch,3,224,224".
        inputs: cuts the model: these variables become the inputs.
        outputs: cuts the model: these variables become the outputs.
        renames: new names of inputs and outputs, by their old names.
        dim_names: the prefix of names for unnamed dynamic dims: DIM_NAMES.0, DIM_NAMES.1 ... Default: the name of their input or output.
        weights: where to store the weights: "inline", "external" (OUTPUT.data), "reference" (Paddle's file) or "auto".
        precision: "float16" or "bfloat16". Default: the precision of the program.
        half_io: with `precision`: converts inputs and outputs, too.
        float32_ops: with `precision`: ONNX operators to keep in float32.
        half_ops: with `precision`: ONNX operators to compute in 16 bits although the default is float32; ["all"]: every operator for
            which ONNX allows it.
        fuse: merges biases and normalizations into the operator before them, and parallel convolutions. False: they keep their own nodes.
        lod: how to convert tensors with LoD (sequences). "lengths": adds a tensor NAME.lengths for each input and output with LoD
            (default, if an input has LoD). "single": the model takes one sequence per run.
        specs: spec files, or folders of spec files, that add operators or replace built-in conversions.
        custom_ops: operators to leave to the runtime, such as {"my_op": "com.example::MyOp"}.
        continue_on_error: writes operators that cannot be converted as nodes of the domain "paddle"; the report's `custom_nodes`
            lists them.
        target: the engine that will run the model, such as "tract" or "opencv@5". Its best opset is used unless `opset` is given. The
            report's `json["target"]` lists the nodes that the engine refuses.
        options: further options of `fluid2onnx convert`. With these, the executable converts the model.

    Raises:
        ConversionError: the model cannot be converted; `lowest_opset` is the opset that works, if one does.
        MissingPackageError: neither the wheel's module nor the executable is installed.
        TypeError, ValueError: an argument has a wrong type, or is none of the allowed words.
    """
    if precision not in (None, *_PRECISIONS):
        raise ValueError(f"precision is {precision!r}; expected one of {', '.join(map(repr, _PRECISIONS))}")
    if lod not in ("", "lengths", "single"):
        raise ValueError(f"lod is {lod!r}; expected 'lengths' or 'single'")
    if weights not in _WEIGHTS:
        raise ValueError(f"weights is {weights!r}; expected one of {', '.join(map(repr, _WEIGHTS))}")
    back = is_onnx(model)
    if output is None and not back and weights not in ("auto", "inline"):
        raise ValueError(f"weights is {weights!r}, but a model in memory contains its weights")
    request: Dict[str, Any] = {}
    add(request, opset=opset and int(opset), ir_version=ir_version and int(ir_version), input_shapes=shapes(input_shapes))
    add(request, inputs=names(inputs), outputs=names(outputs), renames=dict(renames or {}), dim_names=dim_names)
    add(request, precision=precision, half_io=half_io, float32_ops=names(float32_ops), half_ops=names(half_ops))
    if not fuse:
        request["fuse"] = False
    add(request, lod=lod, weights="" if weights == "auto" else weights)
    add(request, specs=paths(specs), custom_ops=dict(custom_ops or {}), continue_on_error=continue_on_error, target=target)
    with ExitStack() as stack:
        files = {"model": stack.enter_context(as_file(model))}
        if params is not None:
            files["params"] = stack.enter_context(as_file(params))
        if output is not None:
            files["output"] = os.fsdecode(output)
        else:
            import tempfile

            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fluid2onnx-"))
            files["output"] = os.path.join(folder, "model.pdmodel" if back else "model.onnx")
            if not back:
                request["weights"] = "inline"
        try:
            report = engine.call("convert", {**files, **request}, options)
        except ConversionError as error:
            if error.code != "E_NO_PARAMS" or params is not None or back or isinstance(model, (str, os.PathLike)):
                raise
            # Beside a model in memory there is nothing to look for.
            problem = Problem(error.code, "the model in memory has parameters, and none are given", "give their file, or its bytes, as 'params'")
            raise ConversionError(f"{problem.message} [{error.code}]\n  hint: {problem.hint}", exit_status=error.exit_status, problems=[problem]) from None
        if output is not None:
            return read_report(report)
        with open(files["output"], "rb") as file:
            content = file.read()
        if not back:
            return read_report(report, content)
        if not report.get("data_path"):
            return read_report(report, program=content)
        with open(report["data_path"], "rb") as file:
            return read_report(report, program=content, params=file.read())
