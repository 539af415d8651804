"""export(), dygraph2onnx() and program2onnx()."""
import logging
import os
from dataclasses import replace
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence

from ...conversion import convert as _convert
from ...exporting import export as _export
from ...inspection import inspect
from ...errors import ConversionError
from ...files import write_file
from ...report import Report
from .calibration import strip_quantisation, table
from .programs import ports
from .utils import try_import

# The newest version whose functions and options are all here.
API_VERSION = "2.1.0"
DIM_NAMES = "DynamicDimension"
_QUANTISED = 13  # the opset from which on DequantizeLinear takes a scale for each channel
_OLDEST_OPSET = 7

log = logging.getLogger("fluid2onnx.compat.paddle2onnx")

# What paddle.jit.save takes, of what Paddle hands on from paddle.onnx.export.
_SAVE = ("output_spec", "with_hook", "combine_params", "clip_extra", "skip_forward", "input_names_after_prune", "skip_prune_program")


def export(
    model_filename: Any = None,
    params_filename: Any = "",
    save_file: Any = None,
    opset_version: Optional[int] = None,
    auto_upgrade_opset: bool = True,
    verbose: bool = True,
    enable_onnx_checker: bool = True,
    enable_experimental_op: bool = True,
    enable_optimize: bool = True,
    custom_op_info: Optional[Mapping[str, str]] = None,
    deploy_backend: str = "onnxruntime",
    calibration_file: str = "",
    external_file: str = "",
    export_fp16_model: bool = False,
    dist_prim_all: bool = False,
    optimize_tool: str = "polygraphy",
    *,
    model_file: Any = None,
    params_file: Any = None,
) -> Optional[bytes]:
    """Converts a saved model to `save_file`, or returns the ONNX model's bytes without one.

    `opset_version` is 7 by default, and 11 with `model_file=`, the keyword of 1.0.

    Raises:
        fluid2onnx.ConversionError: the model was refused; nothing is written then.
    """
    model = model_file if model_filename is None else model_filename
    if model is None:
        raise TypeError("export() needs model_filename")
    if opset_version is None:
        opset_version = _OLDEST_OPSET if model_file is None else 11
    return convert_file(
        model,
        params_filename or params_file,
        save_file,
        opset_version,
        auto_upgrade_opset,
        verbose=verbose,
        calibration_file=calibration_file if deploy_backend.lower() == "tensorrt" else "",
        precision="float16" if export_fp16_model else None,
    ).onnx


def dygraph2onnx(layer: Any, save_file: Any, input_spec: Optional[Sequence[Any]] = None, opset_version: int = 9, **configs: Any) -> Optional[bytes]:
    """Converts a layer; paddle.onnx.export calls this. Of `configs`, those of paddle.jit.save and of export() matter."""
    save = {name: configs[name] for name in _SAVE if name in configs}
    fp16 = bool(configs.get("export_fp16_model", False))
    auto = bool(configs.get("auto_upgrade_opset", configs.get("auto_update_opset", True)))
    report = _with_opset(
        lambda opset, **more: _export(layer, _ready(save_file), input_spec, save=save, opset=opset, **more),
        opset_version,
        auto,
        bool(configs.get("verbose", configs.get("enable_verbose", True))),
        precision="float16" if fp16 else None,
    )
    return report.onnx


def run_convert(model: Any, input_shape_dict: Optional[Mapping[str, Sequence[int]]] = None, scope: Any = None, opset_version: int = 9) -> Any:
    """Converts a program of paddle.static.load_inference_model to an onnx.ModelProto."""
    if not hasattr(model, "global_block"):
        raise TypeError("run_convert() takes a program of paddle.static.load_inference_model; for paddle.jit.load use export() with the files")
    onnx = try_import("onnx")
    shapes = {name: [None if dim in (-1, None) else int(dim) for dim in dims] for name, dims in (input_shape_dict or {}).items()}
    feed, fetch = ports(model)
    report = _with_opset(
        lambda opset, **more: _export(model, feed=feed, fetch=fetch, scope=scope, opset=opset, **more),
        opset_version,
        True,
        input_shapes=shapes,
    )
    return onnx.load_from_string(report.onnx)


def program2onnx(
    program: Any,
    scope: Any,
    save_file: Any,
    feed_var_names: Optional[Sequence[Any]] = None,
    target_vars: Optional[Sequence[Any]] = None,
    opset_version: int = 9,
    enable_onnx_checker: bool = False,
    operator_export_type: str = "ONNX",
    auto_update_opset: bool = True,
    **configs: Any,
) -> Optional[bytes]:
    """Converts a program in memory, whose parameters are in `scope`, to what is in `target_vars`."""
    report = _with_opset(
        lambda opset, **more: _export(
            program, _ready(save_file), feed=feed_var_names or (), fetch=target_vars or (), scope=scope, opset=opset, **more
        ),
        opset_version,
        auto_update_opset,
    )
    return report.onnx


def convert_file(
    model: Any, params: Any, save_file: Any, opset: int, auto_upgrade: bool, *, calibration_file: str = "", verbose: bool = True, **options: Any
) -> Report:
    """The common part of export() and the command. Without `params`, the parameters are searched beside the model.

    `calibration_file`: what a quantised model has of scales goes there, and the model is one of floats.
    """
    if params and not isinstance(params, bytes) and not os.path.exists(params) and not inspect(model).json["parameters"]["count"]:
        # Paddle writes no file for a model without parameters, but scripts name it.
        log.warning("%s does not exist; the model has no parameters", params)
        params = None
    if calibration_file and _quantised(inspect(model, params=params or None).operators):
        return _calibrated(model, params, save_file, opset, auto_upgrade, calibration_file, verbose=verbose, **options)
    return _with_opset(
        lambda opset, **more: _convert(model, _ready(save_file), params=params or None, opset=opset, **more),
        opset,
        auto_upgrade,
        verbose,
        **options,
    )


def _calibrated(model: Any, params: Any, save_file: Any, opset: int, auto_upgrade: bool, calibration_file: str, **options: Any) -> Report:
    report = convert_file(model, params, None, opset, auto_upgrade, **options)
    content, scales = strip_quantisation(report.onnx or b"")
    path = None if save_file is None else os.fspath(save_file)
    if path is not None:
        write_file(path, content)
    if scales:
        write_file(calibration_file, table(scales).encode())
    else:
        log.warning("no scales are found in this model; no calibration file is written")
    return replace(report, onnx=content if path is None else None, output=path)


def _quantised(operators: Iterable[str]) -> bool:
    return any("quantize" in name for name in operators)


def _with_opset(run: Callable[..., Report], opset: int, auto_upgrade: bool, verbose: bool = True, **options: Any) -> Report:
    """Raises the opset to the lowest that works, if `auto_upgrade`. `verbose` prints the lines that scripts search."""
    options = {**options, "dim_names": DIM_NAMES}
    asked = opset
    if auto_upgrade and 0 < opset < _OLDEST_OPSET:
        opset = _OLDEST_OPSET
    try:
        report = run(opset, **options)
        if auto_upgrade and opset < _QUANTISED and _quantised(report.operators):
            log.warning("a quantised model has no operators for that at opset %d; taking %d", opset, _QUANTISED)
            report = run(_QUANTISED, **options)
    except ConversionError as error:
        lowest = error.lowest_opset
        if not lowest or lowest <= opset:
            raise
        if verbose:
            _print(f"{error.operator or 'the model'} requires opset_version >= {lowest}")
        if not auto_upgrade:
            raise
        log.warning("opset %d cannot express this model; taking %d, the lowest that can", opset, lowest)
        report = run(lowest, **options)
    if verbose:
        if report.opset != asked:
            _print(f"Opset version will change to {report.opset} from {asked}")
        _print(f"Use opset_version = {report.opset}")
    return report


def _print(line: str) -> None:
    """On standard output and with Paddle2ONNX's prefix, where scripts search such lines."""
    print(f"[Paddle2ONNX] {line}", flush=True)


def _ready(save_file: Any) -> Optional[str]:
    """The path, in a folder that exists."""
    if save_file is None:
        return None
    path: str = os.fspath(save_file)
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    return path


def unused(options: Dict[str, Any]) -> None:
    """Notes options that change nothing here."""
    for name, reason in options.items():
        log.warning("%s: %s", name, reason)
