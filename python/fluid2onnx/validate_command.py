"""python -m fluid2onnx.validate_command: compare a converted model with Paddle.

Exit status: 0 the outputs agree, 1 they differ, 2 wrong usage or a package is missing, 3 a model could not be
converted, loaded or run.
"""
import argparse
import json
import re
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .errors import Fluid2OnnxError, ModelError
from .request import Dims, dims_of
from .tolerances import MODEL_ATOL, MODEL_RTOL

AGREE, DIFFER, USAGE, FAILED = 0, 1, 2, 3


def _shape(text: str) -> "Tuple[str, Dims]":
    name, _, dims = text.rpartition("=")
    if not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=DIMS, such as x=batch,3,224,224")
    try:
        return name, dims_of(dims) if dims else []
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _arrays(path: str) -> Dict[str, Any]:
    import numpy as np

    try:
        with np.load(path) as file:
            return {name: file[name] for name in file.files}
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from error
    except Exception as error:  # whatever zipfile, pickle and an array that is no archive raise
        raise ModelError(f"{path}: not a .npz file; write it with numpy.savez") from error


def parser() -> argparse.ArgumentParser:
    """The command line; the executable's `validate` passes its arguments on as they are."""
    result = argparse.ArgumentParser(
        prog="fluid2onnx validate",
        description="Run a Paddle model and its ONNX conversion on the same inputs, and compare every output. Or compare an ONNX model "
        "with the Paddle program into which it was converted.",
        epilog="exit status: 0 the outputs agree, 1 they differ, 2 wrong usage or a package is missing, "
        "3 a model could not be converted, loaded or run",
    )
    result.add_argument("model", metavar="MODEL", help="the model that was converted: a Paddle program (a file, a folder or a prefix, as for convert) or an ONNX file")
    result.add_argument("onnx", metavar="ONNX", nargs="?", help="the result of the conversion: an ONNX file or a Paddle program; without it, validate converts MODEL first")
    result.add_argument("--params", metavar="FILE", help="read the parameters from this file or folder, if they are not beside the program")
    result.add_argument("--opset", type=int, help="convert at this opset, if ONNX is omitted")
    result.add_argument("--inputs", metavar="FILE.npz",
                        help="use these inputs: arrays by input name, and NAME.lengths for inputs with sequences; missing inputs are random")
    result.add_argument("--outputs", "--output", metavar="NAME,NAME...", action="append", default=[],
                        help="compare these variables, the outputs that convert --outputs selected; not needed if the ONNX outputs have their names")
    result.add_argument("--custom-op-library", metavar="FILE", action="append", default=[], dest="libraries",
                        help="load this library into ONNX Runtime; it has kernels of custom operators, such as those of convert --custom-op (repeatable)")
    result.add_argument("--expected", metavar="FILE.npz",
                        help="compare with these recorded outputs, by name, for the inputs of --inputs; Paddle is not needed")
    result.add_argument("--record", metavar="FILE.npz", help="write Paddle's outputs to this file, for --expected, and the inputs to FILE.inputs.npz, for --inputs")
    result.add_argument("--input-shape", "--shape", metavar="NAME=DIMS", type=_shape, action="append", default=[], dest="shape",
                        help="set the shape of a random input, such as x=1,3,224,224, as for convert; validate chooses the sizes of dynamic dimensions (repeatable)")
    result.add_argument("--sizes", type=int, choices=(1, 2), default=2,
                        help="compare this many times, with different sizes of the dynamic dimensions (default: %(default)s)")
    result.add_argument("--seed", type=int, default=0, help="use this seed for the random inputs (default: %(default)s)")
    result.add_argument("--rtol", type=float, help=f"relative tolerance (default: {MODEL_RTOL:g}; with float16 weights 0.01, with bfloat16 weights 0.08)")
    result.add_argument("--atol", type=float, help=f"absolute tolerance (default: {MODEL_ATOL:g} times the output's largest magnitude, or times 1 if that is larger; with float16 weights 0.01 times, with bfloat16 weights 0.08 times)")
    result.add_argument("--json", action="store_true", help="print a JSON object instead of the table")
    return result


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command line; returns the exit status."""
    options_parser = parser()
    options = options_parser.parse_args(arguments)
    if options.onnx and options.opset is not None:
        options_parser.error("--opset applies only if ONNX is omitted")
    if options.expected and not options.inputs:
        options_parser.error("--expected needs --inputs with the inputs of these outputs")
    if options.expected and options.record:
        options_parser.error("choose one of --record and --expected: with --expected, Paddle does not run")
    try:
        from .validation import validate

        inputs = _arrays(options.inputs) if options.inputs else {}
        result = validate(
            options.model,
            options.onnx,
            params=options.params,
            opset=options.opset,
            inputs=inputs,
            expected=_arrays(options.expected) if options.expected else None,
            input_shapes=dict(options.shape),
            outputs=[name for names in options.outputs for name in names.split(",")],
            custom_op_libraries=options.libraries,
            seed=options.seed,
            sizes=options.sizes,
            rtol="model" if options.rtol is None else options.rtol,
            atol="model" if options.atol is None else options.atol,
        )
    except ImportError as error:  # MissingPackageError is one
        return _failed(error, USAGE, options.json)
    except (Fluid2OnnxError, OSError, ValueError) as error:
        return _failed(error, FAILED, options.json)
    if options.record:
        _record(options.record, result.reported)
    if options.json:
        print(json.dumps(result.to_json(), indent=1))
    else:
        print(result.text())
    return AGREE if result.ok else DIFFER


def _record(path: str, run: Any) -> None:
    """What --inputs and --expected take."""
    import numpy as np

    from .onnx_model import lengths_of

    inputs = dict(run.inputs.arrays)
    for name, levels in run.inputs.lod.items():
        inputs.update(lengths_of(name, levels))
    stem = path[:-4] if path.endswith(".npz") else path
    np.savez(stem + ".npz", **run.expected)
    np.savez(stem + ".inputs.npz", **inputs)


def _failed(error: Exception, status: int, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"ok": False, "error": str(error), "code": getattr(error, "code", "")}))
    print(f"fluid2onnx validate: error: {_without_prefix(str(error))}", file=sys.stderr)
    return status


def _without_prefix(text: str) -> str:
    """What the executable printed begins like our own message."""
    return re.sub(r"^(fluid2onnx \w+: )?error: ", "", text)


if __name__ == "__main__":
    sys.exit(main())
