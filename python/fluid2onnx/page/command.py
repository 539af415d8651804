"""`fluid2onnx inspect --html`, which has parsed the options."""
import argparse
import sys
from typing import List, Optional

from .. import engine
from ..errors import Fluid2OnnxError
from .graph import Graph
from .html import write_page
from .libraries import folder
from .onnx_graph import onnx_graph
from .paddle_graph import paddle_graph


def _parse(words: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fluid2onnx inspect", allow_abbrev=False)
    parser.add_argument("model")
    parser.add_argument("--html", required=True)
    parser.add_argument("--params")
    parser.add_argument("--opset", type=int)
    parser.add_argument("--input-shape", action="append", default=[])
    parser.add_argument("--inputs", default="")
    parser.add_argument("--outputs", default="")
    return parser.parse_args(words)


def _graph(a: argparse.Namespace) -> Graph:
    if a.model.endswith(".onnx"):
        return onnx_graph(a.model)
    request = {"model": a.model, "list_ops": True, "opset": a.opset}
    if a.params:
        request["params"] = a.params
    if a.input_shape:
        request["input_shapes"] = dict(shape.rsplit("=", 1) for shape in a.input_shape)
    for name in ("inputs", "outputs"):
        if getattr(a, name):
            request[name] = getattr(a, name).split(",")
    return paddle_graph(engine.call("inspect", {key: value for key, value in request.items() if value is not None}))


def main(words: Optional[List[str]] = None) -> int:
    a = _parse(words)
    try:
        graph = _graph(a)
        write_page(graph, a.html)
    except Fluid2OnnxError as error:
        print(str(error) if str(error).startswith("fluid2onnx") else f"fluid2onnx inspect: error: {error}", file=sys.stderr)
        return getattr(error, "exit_status", None) or 3
    except OSError as error:
        print(f"fluid2onnx inspect: error: {a.html}: {error.strerror}", file=sys.stderr)
        return 3
    print(f"written    {a.html}, {len(graph.nodes)} operators")
    if folder() is None:
        print("note: the page has no drawing: its libraries are part of the wheel; run python -m fluid2onnx.page.libraries to fetch them by npm", file=sys.stderr)
    if graph.verdict:
        print(graph.verdict)
    return 1 if graph.ok is False else 0


if __name__ == "__main__":
    sys.exit(main())
