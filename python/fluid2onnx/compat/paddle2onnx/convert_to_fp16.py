"""python -m fluid2onnx.compat.paddle2onnx.convert_to_fp16: computes an ONNX file in float16.

The file becomes a program of Paddle in memory, and that becomes an ONNX file again with `precision="float16"`. Inputs and outputs
keep their names and dtypes.
"""
import argparse
import sys
from typing import Optional, Sequence

from ...conversion import convert
from ...errors import Fluid2OnnxError
from .api import DIM_NAMES
from .command import failed


def convert_to_fp16(input_model_path: str, output_model_path: str) -> None:
    """Raises ConversionError: an operator of the file cannot become one of Paddle. Nothing is written then."""
    with open(input_model_path, "rb") as file:
        program = convert(file.read())
    convert(program.program or b"", output_model_path, params=program.params, opset=program.opset, precision="float16", dim_names=DIM_NAMES)


def main(argv: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fluid2onnx.compat.paddle2onnx.convert_to_fp16", description=(__doc__ or "").splitlines()[0].split(": ")[1])
    parser.add_argument("--input_model_path", required=True, help="the ONNX file")
    parser.add_argument("--output_model_path", required=True, help="the ONNX file to write")
    options = parser.parse_args(argv)
    try:
        convert_to_fp16(options.input_model_path, options.output_model_path)
    except (Fluid2OnnxError, OSError) as error:
        return failed(f"{error}\nhint: 'fluid2onnx convert MODEL --fp16' converts the model of Paddle", 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
