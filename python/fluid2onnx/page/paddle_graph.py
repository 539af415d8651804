"""The graph of a Paddle program, from what `inspect` tells of it."""
import json
import os
from typing import Any, Dict, List, Mapping

from .graph import Graph, Node, Problem, Tensor, size_text, type_text
from .scopes import scopes_of_program


def paddle_graph(inspected: Mapping[str, Any]) -> Graph:
    """`inspected`: `inspect --json --ops`."""
    scopes = _scopes(inspected["model"])
    nodes: List[Node] = []
    where: Dict[Any, int] = {}
    for op in inspected["op_list"]:
        if op["type"] in ("feed", "fetch"):
            continue
        place = (op["block"], op["index"])
        block = [f"block {op['block']}"] if op["block"] else []
        where[place] = len(nodes)
        nodes.append(
            Node(
                op["type"],
                [(slot, name) for slot, names in op["inputs"].items() for name in names if name],
                [(slot, name) for slot, names in op["outputs"].items() for name in names if name],
                place=f"block {place[0]}, operator {place[1]}",
                source=op["source"] or "",
                scope=[*block, *scopes.get(place, [])],
                attributes=[(name, _value(value)) for name, value in op["attributes"].items()],
            )
        )
    conversion = inspected.get("conversion") or {}
    problems = [_problem(entry, where) for entry in conversion.get("errors", [])]
    for number, problem in enumerate(problems):
        if problem.node is not None:
            nodes[problem.node].problem = number
    tensors = {
        name: Tensor(type_text(entry["dtype"], entry["shape"]), entry["bytes"], entry["parameter"])
        for name, entry in inspected["variables"].items()
    }
    return Graph(
        os.path.basename(inspected["model"]),
        _facts(inspected),
        nodes,
        tensors,
        [(port["name"], port["name"]) for port in inspected["inputs"]],
        _outputs(inspected),
        problems,
        _verdict(inspected),
        conversion.get("ok"),
    )


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 200 else text[:200] + " ..."


def _scopes(path: str) -> Dict[Any, List[str]]:
    try:
        with open(path, "rb") as file:
            content = file.read()
        return {} if content[:1] == b"{" else scopes_of_program(content)
    except (OSError, IndexError):
        return {}


def _outputs(inspected: Mapping[str, Any]) -> "List[Any]":
    fetched = [name for op in inspected["op_list"] if op["type"] == "fetch" for names in op["inputs"].values() for name in names]
    named = [port["name"] for port in inspected["outputs"]]
    return list(zip(named, fetched if len(fetched) == len(named) else named))


def _problem(entry: Mapping[str, Any], where: Mapping[Any, int]) -> Problem:
    node = where.get((entry.get("block"), entry.get("index")))
    return Problem(entry["code"], entry["message"], entry.get("hint") or "", entry.get("place") or "", node)


def _facts(inspected: Mapping[str, Any]) -> "List[Any]":
    parameters = inspected.get("parameters")
    facts = [("format", "ProgramDesc" if inspected["format"] == "program_desc" else "PIR, Paddle 3"), ("Paddle", inspected.get("version") or "unknown")]
    facts.append(("operators", str(inspected["op_count"])))
    if parameters:
        facts.append(("parameters", f"{parameters['count']}, {size_text(parameters['bytes'])}"))
    return facts + [("warning", text) for text in inspected.get("warnings", [])]


def _verdict(inspected: Mapping[str, Any]) -> str:
    conversion = inspected.get("conversion")
    if not conversion:
        return "a training program without outputs: choose some with --outputs"
    if conversion["ok"]:
        nodes = sum(conversion["nodes"].values())
        return f"can be converted at opset {conversion['opset']}, to {nodes} nodes"
    text = f"cannot be converted at opset {conversion['opset']}"
    if inspected.get("lowest_opset"):
        text += f"; opset {inspected['lowest_opset']} works"
    cut = inspected.get("cut")
    if cut:
        text += f"; --outputs {','.join(cut['outputs'])} omits what cannot be converted, and converts {cut['operators']} of {cut['of']} operators"
    return text
