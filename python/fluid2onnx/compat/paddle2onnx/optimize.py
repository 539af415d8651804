"""python -m fluid2onnx.compat.paddle2onnx.optimize: gives the inputs of an ONNX file fixed sizes.

Converted models are already optimised.
"""
import argparse
import sys
from typing import Optional, Sequence

from ...files import write_file
from .command import failed
from .flags import literal
from .shapes import set_input_shapes


def main(argv: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fluid2onnx.compat.paddle2onnx.optimize", description=(__doc__ or "").splitlines()[0].split(": ")[1])
    parser.add_argument("--input_model", required=True, help="the ONNX file")
    parser.add_argument("--output_model", required=True, help="the ONNX file to write; may be the same")
    parser.add_argument("--input_shape_dict", type=literal, help="sizes of inputs, such as \"{'image': [1, 3, 608, 608]}\"")
    options = parser.parse_args(argv)
    try:
        with open(options.input_model, "rb") as file:
            model = file.read()
        shapes = {name: [None if dim in (-1, None) else int(dim) for dim in dims] for name, dims in dict(options.input_shape_dict or {}).items()}
        write_file(options.output_model, set_input_shapes(model, shapes))
    except (OSError, TypeError, ValueError) as error:
        return failed(str(error), 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
