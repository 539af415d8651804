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

# The newest version whose functions and options are all here.
API_VERSION = "2.1.0"
DIM_NAMES = "DynamicDimension"
_QUANTISED = 13  # the opset from which on DequantizeLinear takes a scale for each channel

log = logging.getLogger("fluid2onnx.compat.paddle2onnx")

# What paddle.jit.save takes, of what Paddle hands on from paddle.onnx.export.
_SAVE = ("output_spec", "with_hook", "combine_params", "clip_extra", "skip_forward", "input_names_after_prune", "skip_prune_program")


def export(
    model_filename: Any = None,
    params_filename: Any = "",
    save_file: Any = None,
    opset_version: int = 7,
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
    """Converts a saved model to `save_file`, or gives the ONNX model's bytes without one.

    Raises:
        fluid2onnx.ConversionError: the model was refused; nothing is written then.
    """
    model = model_file if model_filename is None else model_filename
    if model is None:
        raise TypeError("export() needs model_filename")
    return convert_file(
        model,
        params_filename or params_file,
        save_file,
        opset_version,
        auto_upgrade_opset,
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
        precision="float16" if fp16 else None,
    )
    return report.onnx


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


def convert_file(model: Any, params: Any, save_file: Any, opset: int, auto_upgrade: bool, *, calibration_file: str = "", **options: Any) -> Report:
    """The common part of export() and the command. Parameters that are missing at the given path are searched beside the model.

    `calibration_file`: what a quantised model has of scales goes there, and the model is one of floats.
    """
    if params and not isinstance(params, bytes) and not os.path.exists(params):
        log.warning("%s does not exist; looking for the parameters beside the model", params)
        params = None
    if calibration_file and _quantised(inspect(model, params=params or None).operators):
        return _calibrated(model, params, save_file, opset, auto_upgrade, calibration_file, **options)
    return _with_opset(
        lambda opset, **more: _convert(model, _ready(save_file), params=params or None, opset=opset, **more), opset, auto_upgrade, **options
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


def _with_opset(run: Callable[..., Report], opset: int, auto_upgrade: bool, **options: Any) -> Report:
    """Takes the lowest opset that works if that may be; without leave it is never raised."""
    options = {**options, "dim_names": DIM_NAMES}
    try:
        report = run(opset, **options)
        if not auto_upgrade or opset >= _QUANTISED or not _quantised(report.operators):
            return report
        log.warning("a quantised model has no operators for that at opset %d; taking %d", opset, _QUANTISED)
        return run(_QUANTISED, **options)
    except ConversionError as error:
        if not auto_upgrade or not error.lowest_opset or error.lowest_opset <= opset:
            raise
        log.warning("opset %d cannot express this model; taking %d, the lowest that can", opset, error.lowest_opset)
        return run(error.lowest_opset, **options)


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
