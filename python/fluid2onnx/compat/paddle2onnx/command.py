"""A command with the options of `paddle2onnx`; exit status 0 only if the model is written."""
import argparse
import logging
import os
import re
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ...inspection import inspect
from ...errors import ConversionError, Fluid2OnnxError
from .api import API_VERSION, convert_file, export, log, unused
from .flags import FLAGS, boolean, expand

_PROGRAM = "fluid2onnx-paddle2onnx"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        self.print_usage(sys.stderr)
        sys.exit(failed(f"{message}", 2))


def arg_parser() -> argparse.ArgumentParser:
    """The options; abbreviations are spelt out before, by `flags.expand`."""
    parser = _Parser(prog=_PROGRAM, allow_abbrev=False, description="fluid2onnx with the options of Paddle2ONNX.")
    for flag in FLAGS:
        names = [f"--{flag.name}", *([f"-{flag.short}"] if flag.short else [])]
        metavar = "BOOL" if flag.type is boolean else None
        text = flag.help + (f" (changes nothing: {flag.note})" if flag.note else "")
        parser.add_argument(*names, type=flag.type, default=flag.default, choices=flag.choices, metavar=metavar, help=text)
    parser.add_argument("--version", "-v", action="store_true", help="print the version")
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    """The command. Gives its exit status: 0 written, 1 not, 2 wrong usage."""
    words = [expand(word) for word in (sys.argv[1:] if argv is None else argv)]
    logging.basicConfig(format="[%(levelname)s] %(message)s", level=logging.INFO)
    parser = arg_parser()
    if not words:
        parser.print_help()
        return 0
    options = parser.parse_args(words)
    if options.version:
        import fluid2onnx

        print(f"paddle2onnx-{API_VERSION} by fluid2onnx {fluid2onnx.__version__}")
        return 0
    for needed in ("model_dir", "save_file"):
        if not getattr(options, needed):
            return failed(f"--{needed} is needed", 1)
    unused({f"--{flag.name}": flag.note for flag in FLAGS if flag.note and getattr(options, flag.name) != flag.default})
    try:
        _convert(options)
    except ConversionError as error:
        place = error.place or ""
        return failed(str(error).replace(f"{place}: ", f"{_ARGUMENTS[place]}: ", 1) if place in _ARGUMENTS else str(error), 1)
    except Fluid2OnnxError as error:
        return failed(str(error), 1)
    except (OSError, TypeError, ValueError) as error:
        return failed(str(error) or type(error).__name__, 1)
    return 0


# Arguments of convert(), by the options that set them.
_ARGUMENTS = {"opset": "--opset_version", "input_shapes": "--input_shape_dict", "renames": "--output_names"}
# What hints call options that have another name here.
_OPTIONS = {"--opset": "--opset_version", "--input-shape": "--input_shape_dict", "--params": "--params_filename"}


def failed(message: str, status: int) -> int:
    """Prints the failure with the words that scripts search, on both streams, since some read only one."""
    for ours, theirs in _OPTIONS.items():
        message = re.sub(rf"(?<![\w-]){ours}(?![\w-])", theirs, message)
    print(f"Oops, convert failed: {message}", file=sys.stderr)
    print("Oops, convert failed")
    return status


def _convert(options: argparse.Namespace) -> None:
    model = os.path.join(options.model_dir, options.model_filename) if options.model_filename else options.model_dir
    params = os.path.join(options.model_dir, options.params_filename) if options.params_filename else None
    more: Dict[str, Any] = {"precision": "float16" if options.export_fp16_model else None}
    if options.input_shape_dict:
        more["input_shapes"] = {name: [None if dim in (-1, None) else dim for dim in dims] for name, dims in dict(options.input_shape_dict).items()}
    if options.output_names:
        more["renames"] = _renames(options.output_names, model, params)
    if options.deploy_backend == "tensorrt":
        more["calibration_file"] = options.save_calibration_file
    report = convert_file(model, params, options.save_file, options.opset_version, options.enable_auto_update_opset, **more)
    for warning in report.warnings:
        log.warning("%s", warning)
    log.info("ONNX model saved in %s (opset %d, %d nodes)", options.save_file, report.opset, sum(report.nodes.values()))


def _renames(names: Any, model: str, params: Optional[str]) -> Mapping[str, str]:
    if isinstance(names, dict):
        return {str(old): str(new) for old, new in names.items()}
    if not isinstance(names, (list, tuple)):
        raise TypeError(f"--output_names is a {type(names).__name__}; expected a list or a dict")
    outputs = [port.name for port in inspect(model, params=params if params and os.path.exists(params) else None).outputs]
    if len(names) != len(outputs):
        raise ValueError(f"--output_names has {len(names)} names, but the model has {len(outputs)} outputs: {', '.join(outputs)}")
    return {old: str(new) for old, new in zip(outputs, names)}


def c_paddle_to_onnx(
    model_file: Any,
    params_file: Any = "",
    save_file: Any = None,
    opset_version: int = 7,
    auto_upgrade_opset: bool = True,
    verbose: bool = True,
    enable_onnx_checker: bool = True,
    enable_experimental_op: bool = True,
    enable_optimize: bool = True,
    deploy_backend: str = "onnxruntime",
    calibration_file: str = "",
    external_file: str = "",
    export_fp16_model: bool = False,
    custom_ops: Optional[Mapping[str, str]] = None,
) -> Optional[bytes]:
    """export() under the name that it has here in 1.0."""
    return export(
        model_file,
        params_file,
        save_file,
        opset_version,
        auto_upgrade_opset,
        verbose,
        deploy_backend=deploy_backend,
        calibration_file=calibration_file,
        export_fp16_model=export_fp16_model,
    )


def program2onnx(
    model_dir: str,
    save_file: str,
    model_filename: Optional[str] = None,
    params_filename: Optional[str] = None,
    opset_version: int = 9,
    enable_onnx_checker: bool = False,
    operator_export_type: str = "ONNX",
    input_shape_dict: Optional[Mapping[str, List[int]]] = None,
    output_names: Any = None,
    auto_update_opset: bool = True,
) -> None:
    """Converts a saved model, as 1.0's command does."""
    options = argparse.Namespace(
        model_dir=model_dir,
        save_file=save_file,
        model_filename=model_filename,
        params_filename=params_filename,
        opset_version=opset_version,
        input_shape_dict=input_shape_dict,
        output_names=output_names,
        enable_auto_update_opset=auto_update_opset,
        export_fp16_model=False,
        deploy_backend="onnxruntime",
        save_calibration_file="",
    )
    _convert(options)


__all__ = ["ConversionError", "arg_parser", "c_paddle_to_onnx", "main", "program2onnx"]

if __name__ == "__main__":
    sys.exit(main())
