"""What the inputs of a model are for, as the operators show that read them."""
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from . import engine
from .errors import Fluid2OnnxError
from .files import PathLike
from .inputs import Role

Op = Mapping[str, Any]

# Operators whose result holds the same numbers, by the slot that they come from.
_SAME = {
    "assign": "X", "cast": "X", "concat": "X", "expand_v2": "X", "flatten_contiguous_range": "X", "flatten2": "X", "reshape": "X",
    "reshape2": "X", "share_data": "X", "slice": "Input", "split": "X", "squeeze": "X", "squeeze2": "X", "stack": "X", "strided_slice": "Input",
    "transpose": "X", "transpose2": "X", "unsqueeze": "X", "unsqueeze2": "X",
}
# Slots with indices of a table's rows, and the slot of the table.
_TABLES = {"lookup_table": ("Ids", "W"), "lookup_table_v2": ("Ids", "W"), "c_embedding": ("Ids", "W")}
# The same along an axis from an attribute or a tensor: indices below the smallest size are valid for every axis.
_GATHERS = {"gather": ("Index", "X"), "index_select": ("Index", "X")}
# Slots with lengths.
_LENGTHS = {
    "sequence_mask": "X", "rnn": "SequenceLength", "cudnn_lstm": "SequenceLength", "crf_decoding": "Length", "viterbi_decode": "Lengths",
    "sequence_unpad": "Length", "warpctc": "LogitsLength", "ctc_align": "InputLength",
}


def of_inputs(model: Any, path: PathLike, params: Optional[PathLike], names: Sequence[str]) -> Dict[str, Role]:
    """The roles of those inputs among `names` that hold integers."""
    names = [feed.name for feed in model.feeds if feed.name in names and feed.dtype.startswith(("int", "uint8"))]
    if not names:
        return {}
    try:
        ops = program_ops(path, params)
    except Fluid2OnnxError:
        return {}  # zeros and ones then
    return {name: role_of(name, ops, model.shape_of) for name in names}


def program_ops(path: PathLike, params: Optional[PathLike] = None) -> List[Op]:
    """The operators of a program in the terms of ProgramDesc, also of a PIR program."""
    import os

    request: Dict[str, Any] = {"model": os.fspath(path), "list_ops": True}
    if params is not None:
        request["params"] = os.fspath(params)
    return list(engine.call("inspect", request)["op_list"])


def role_of(name: str, ops: Sequence[Op], shape_of: "Callable[[str], Sequence[int]]") -> Role:
    """`shape_of` tells the shape of a variable, -1 where it is open; empty if nothing is known."""
    same = {name}
    below: Optional[int] = None
    length = False
    for op in ops:
        def reads(slot: str) -> bool:
            return any(arg in same for arg in op["inputs"].get(slot, ()))

        kind = op["type"]
        if kind in _SAME and reads(_SAME[kind]):
            same.update(arg for args in op["outputs"].values() for arg in args)
        elif kind in _TABLES and reads(_TABLES[kind][0]):
            below = _least(below, _table(op, _TABLES, shape_of)[:1])
        elif kind in _GATHERS and reads(_GATHERS[kind][0]):
            below = _least(below, _table(op, _GATHERS, shape_of))
        elif kind in _LENGTHS and reads(_LENGTHS[kind]):
            length = True
    return Role(below, length)


def _table(op: Op, slots: "Mapping[str, tuple[str, str]]", shape_of: "Callable[[str], Sequence[int]]") -> Sequence[int]:
    """The shape of the table that an operator takes its rows from."""
    return shape_of(next(iter(op["inputs"].get(slots[op["type"]][1], [""])), ""))


def _least(bound: Optional[int], sizes: Sequence[int]) -> Optional[int]:
    return min([size for size in sizes if size > 0] + ([bound] if bound else []), default=None)
