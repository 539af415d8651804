"""A program of Paddle's, written by hand and saved as old releases saved it. Importing this module imports Paddle.

paddle.static.save_inference_model is not used: it prunes, and puts a `scale` behind every output.
"""
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy as np
import paddle
from paddle.base import core
from paddle.base.proto import framework_pb2
from paddle.static.io import append_fetch_ops, prepend_feed_ops

from fluid2onnx.tensor_stream import write_tensor


class StaticProgram:
    """A program under construction: its inputs and parameters with their values, and what is fetched."""

    def __init__(self) -> None:
        paddle.enable_static()
        self.program = paddle.static.Program()
        self.block = self.program.global_block()
        self.inputs: Dict[str, np.ndarray] = {}
        self.params: Dict[str, np.ndarray] = {}
        self.lod: Dict[str, List[List[int]]] = {}
        self.fetches: List[str] = []
        self.foreign: Optional[Any] = None  # an operator that Paddle does not have, in front of the fetches

    def parameter(self, name: str, array: np.ndarray, dtype: str) -> Any:
        """A variable whose value is saved with the program. Of bfloat16, `array` has the bits as uint16."""
        self.params[name] = array
        variable = self.block.create_parameter(name=name, shape=list(array.shape), dtype=_declared(dtype))
        variable.desc.set_shape(list(array.shape))
        return variable

    def feed(self, name: str, array: np.ndarray, dtype: str, dims: Sequence[int], levels: Optional[Sequence[Sequence[int]]] = None) -> Any:
        """A variable that is fed, -1 among `dims` for those left open; `levels` are the offsets of a sequence."""
        self.inputs[name] = array
        if levels:
            self.lod[name] = [list(map(int, level)) for level in levels]
        return self.block.create_var(
            name=name, shape=list(dims), dtype=_declared(dtype), lod_level=len(levels or ()), is_data=True, need_check_feed=True, stop_gradient=True
        )

    def fetch(self, names: List[str]) -> None:
        """Ends the program: these variables are its outputs."""
        self.fetches = names
        prepend_feed_ops(self.program, list(self.inputs))
        append_fetch_ops(self.program, names)

    def save(self, folder: Path) -> None:
        """model.pdmodel and, if there are parameters, model.pdiparams."""
        desc = self.program.desc
        desc._set_version()
        core.save_op_version_info(desc)
        program = framework_pb2.ProgramDesc.FromString(desc.serialize_to_string())
        if self.foreign is not None:
            program.blocks[0].ops.insert(len(program.blocks[0].ops) - len(self.fetches), self.foreign)
        (folder / "model.pdmodel").write_bytes(program.SerializeToString())
        if self.params:
            with open(folder / "model.pdiparams", "wb") as file:
                for name in sorted(self.params, key=lambda text: text.encode()):
                    write_tensor(file, self.params[name])


def _declared(dtype: str) -> str:
    """Paddle's Python has no bfloat16 for numpy: it is declared as its substitute."""
    return "uint16" if dtype == "bfloat16" else dtype
