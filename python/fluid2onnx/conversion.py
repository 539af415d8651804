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
    lod: str = "",
    specs: Sequence[PathLike] = (),
    custom_ops: Optional[Mapping[str, str]] = None,
    continue_on_error: bool = False,
    target: str = "",
    options: Sequence[str] = (),
) -> Report:
    """Converts a saved Paddle model to an ONNX file, or to bytes; and an ONNX model to a program of Paddle. Prints nothing; other
    threads run meanwhile.

    Args:
        model: the program: `.pdmodel`, `__model__` or PIR `.json`, the folder or the prefix of one, or its bytes. Or an ONNX
            model, its file or its bytes; then only `output`, `input_shapes`, `inputs`, `outputs` and `renames` say anything, and
            others are refused.
        output: the ONNX file to write; of an ONNX model `X.pdmodel`, or `X.json` for Paddle 3, beside which `X.pdiparams` appears.
            It appears only when the conversion has succeeded. None: the report's `onnx` is the model, or its `program` and
            `params`.
        params: the file (or folder) of the parameters, or the bytes of combined ones. By default they are looked for
            beside the model.
        opset: of ONNX, 7 to 28; by default 17. It is never raised behind your back.
        ir_version: of the ONNX file; by default the lowest for the opset, at least 4. Version 3 (opsets 7 and 8) lists
            the weights among the graph's inputs.
        input_shapes: shapes that override those in the model, by input name: lists of dims, each a size, the name of an
            unknown one, or None; or text as on the command line, such as "batch,3,224,224".
        inputs: variables that become the inputs: cuts the model.
        outputs: variables that become the outputs: cuts the model.
        renames: other names for inputs and outputs.
        dim_names: unknown dims without a name are called DIM_NAMES.0, DIM_NAMES.1 ..., not after their input or output.
        weights: where they go: "inline", "external" (OUTPUT.data), "reference" (to Paddle's file) or "auto".
        precision: "float16" or "bfloat16"; by default that of the program.
        half_io: with `precision`: inputs and outputs too.
        float32_ops: with `precision`: ONNX operators that stay in float32.
        half_ops: with `precision`: ONNX operators that do not, although they would; ["all"]: all that ONNX allows.
        lod: tensors with LoD: "lengths" for NAME.lengths beside each of the inputs and outputs that have it, as by default when
            an input has; "single" for one sequence in each run.
        specs: spec files, or folders of them, that add operators or replace built-in conversions.
        custom_ops: operators to leave to the runtime, such as {"my_op": "com.example::MyOp"}.
        continue_on_error: leaves what cannot be converted as nodes of the domain "paddle"; the report's `custom_nodes` has them.
        target: the engine that the model is for, such as "tract" or "opencv@5": takes its best opset unless `opset` is given. The
            report's `json["target"]` has the nodes that the engine refuses.
        options: further options of `fluid2onnx convert`, passed as they are; the executable runs then.

    Raises:
        ConversionError: the model was refused; `lowest_opset` is the opset that works, if there is one.
        MissingPackageError: there is neither the wheel's module nor the executable.
        TypeError, ValueError: an argument is of another type than these, or none of the words that it may be.
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
