"""What a user's script may look like to mypy."""
from pathlib import Path
from typing import List, Optional

import fluid2onnx
import fluid2onnx.compat.paddle2onnx as paddle2onnx


def main(model: Path) -> Optional[int]:
    try:
        report: fluid2onnx.Report = fluid2onnx.convert(model, model.with_suffix(".onnx"), opset=13, input_shapes={"x": ["n", 3, None]})
    except fluid2onnx.ConversionError as error:
        return error.lowest_opset
    content: Optional[bytes] = fluid2onnx.convert(model.read_bytes(), params=b"").onnx
    names: List[str] = [operator.name for operator in fluid2onnx.operators()]
    problems: List[fluid2onnx.Problem] = fluid2onnx.inspect(model).problems
    exported: Optional[bytes] = paddle2onnx.export(str(model), "", opset_version=11)
    version: str = fluid2onnx.__version__
    print(report.opset, content, names, problems, exported, version)
    return None
