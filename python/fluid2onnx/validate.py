"""python -m fluid2onnx.validate: compare a converted model with Paddle.

Exit status: 0 the outputs agree, 1 they differ, 2 wrong usage or a package is missing, 3 a model could not be
converted, loaded or run.
"""
import argparse
import json
import sys
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np

from .errors import Fluid2OnnxError, MissingPackageError
from .validation import MODEL_ATOL, MODEL_RTOL, validate

AGREE, DIFFER, USAGE, FAILED = 0, 1, 2, 3


def _shape(text: str) -> "Tuple[str, List[int]]":
    name, equals, dims = text.rpartition("=")
    try:
        if equals and name:
            return name, [int(dim) for dim in dims.split(",") if dim]
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=1,3,224,224")


def parser() -> argparse.ArgumentParser:
    """The command line; the executable's `validate` passes its arguments on as they are."""
    result = argparse.ArgumentParser(
        prog="fluid2onnx validate",
        description="Run a Paddle model and its ONNX conversion on the same inputs, and compare every output.",
        epilog="exit status: 0 the outputs agree, 1 they differ, 2 wrong usage or a package is missing, "
        "3 a model could not be converted, loaded or run",
    )
    result.add_argument("model", metavar="MODEL", help="the Paddle program: .pdmodel, __model__ or PIR .json")
    result.add_argument("onnx", metavar="ONNX", nargs="?", help="the ONNX file; without it the model is converted first")
    result.add_argument("--params", metavar="FILE", help="combined parameters, if they do not stand beside the model")
    result.add_argument("--opset", type=int, help="opset to convert to, when no ONNX file is given")
    result.add_argument("--inputs", metavar="FILE.npz", help="arrays by input name; what is missing is random")
    result.add_argument("--shape", metavar="NAME=DIMS", type=_shape, action="append", default=[],
                        help="shape of a random input, such as x=1,3,224,224 (repeatable)")
    result.add_argument("--seed", type=int, default=0, help="of the random inputs (default: %(default)s)")
    result.add_argument("--rtol", type=float, default=MODEL_RTOL, help="relative tolerance (default: %(default)g)")
    result.add_argument("--atol", type=float, default=MODEL_ATOL, help="absolute tolerance (default: %(default)g)")
    result.add_argument("--json", action="store_true", help="print a JSON object in place of the table")
    return result


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command line; returns the exit status."""
    options_parser = parser()
    options = options_parser.parse_args(arguments)
    if options.onnx and options.opset is not None:
        options_parser.error("--opset is for converting; an ONNX file is given already")
    try:
        inputs: Dict[str, np.ndarray] = {}
        if options.inputs:
            with np.load(options.inputs) as file:
                inputs = {name: file[name] for name in file.files}
        result = validate(
            options.model,
            options.onnx,
            params=options.params,
            opset=options.opset,
            inputs=inputs,
            shapes=dict(options.shape),
            seed=options.seed,
            rtol=options.rtol,
            atol=options.atol,
        )
    except MissingPackageError as error:
        return _failed(error, USAGE, options.json)
    except (Fluid2OnnxError, OSError, ValueError) as error:
        return _failed(error, FAILED, options.json)
    if options.json:
        print(json.dumps(result.to_json(), indent=1))
    else:
        print(result.table())
        print("the outputs agree" if result.ok else f"the outputs differ: {result.error}")
    return AGREE if result.ok else DIFFER


def _failed(error: Exception, status: int, as_json: bool) -> int:
    if as_json:
        print(json.dumps({"ok": False, "error": str(error), "code": getattr(error, "code", "")}))
    print(f"fluid2onnx validate: error: {error}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
