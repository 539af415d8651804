"""The operators of a saved program, without Paddle."""
import json
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set

from fluid2onnx import wire

_IGNORED = {"feed", "fetch", "data", "p"}


def operators(path: Path) -> List[str]:
    """Names of the operators, sorted; without inputs, outputs and the `scale` that Paddle 2 puts before an output."""
    data = path.read_bytes()
    found: Set[str] = set()
    if data[:1] == b"{":
        for region in json.loads(data)["program"]["regions"]:
            _pir(region, found)
    else:
        for field, _, block in wire.fields(data):
            if field == 1:
                found.update(_block(block))
    return sorted(found - _IGNORED)


def _pir(region: Dict[str, Any], found: Set[str]) -> None:
    for block in region["blocks"]:
        for op in block["ops"]:
            found.add(op["#"].partition(".")[2] or op["#"])
            for inner in op.get("regions", ()):
                _pir(inner, found)


def _block(block: bytes) -> Iterator[str]:
    """BlockDesc.ops is field 4; of an OpDesc the type is field 3, the outputs field 2."""
    for field, _, op in wire.fields(block):
        if field == 4:
            parts = list(wire.fields(op))
            name = next(value for number, _, value in parts if number == 3).decode()
            if name != "scale" or not any(number == 2 and b"save_infer_model/" in value for number, _, value in parts):
                yield name
