"""A case as people read it: an example in the language of the specs, or a listing of calls."""
import json
from typing import Any, Dict, List

from .cases import CALLS, Data, RandomCase, short_name


def paste(case: RandomCase) -> str:
    """Ready to paste."""
    return _listing(case.data) if case.kind == CALLS else _example(case.data)


def _example(data: Data) -> str:
    slots = []
    for slot, operands in data["inputs"].items():
        texts = [json.dumps(_operand(operand)) for operand in operands]
        slots.append(f"{slot}: {texts[0] if len(texts) == 1 and operands[0]['name'] == slot else '[' + ', '.join(texts) + ']'}")
    lines = [f"# {data['op']}", f"- in: {{{', '.join(slots)}}}"]
    attrs = {name: attr["value"] for name, attr in (data.get("attrs") or {}).items() if not attr.get("default")}
    if attrs:
        lines.append(f"  attrs: {{{', '.join(f'{name}: {json.dumps(value)}' for name, value in attrs.items())}}}")
    if data.get("const"):
        lines.append(f"  const: [{', '.join(data['const'])}]")
    if data.get("dyn"):
        lines.append(f"  dyn: {_plain(data['dyn'])}")
    counts = {slot: count for slot, count in data["outputs"].items() if count != 1}
    if counts:
        lines.append(f"  out: {_plain(counts)}")
    return "\n".join(lines)


def _plain(value: Any) -> str:
    return json.dumps(value).replace('"', "")


def _operand(operand: Data) -> str:
    text = f"{operand['dtype']}{operand['shape']}" + "".join(f" lod {list(level)}" for level in operand.get("lod") or ())
    if operand.get("values") is not None:
        return f"{text} = {_plain(operand['values'])}"
    if operand.get("range"):
        low, high, *inclusive = operand["range"]
        text += f" in [{low}, {high}" + ("]" if inclusive and inclusive[0] else ")")
    return text + "".join(f" {name}" for name in ("sorted", "permutation", "unique", "nonzero", "boxes") if operand.get(name))


def _listing(data: Data) -> str:
    lines: List[str] = []
    for operand in data["inputs"]:
        notes = [name for name in ("const",) if operand.get(name)] + ([f"open axes {operand['dyn']}"] if operand.get("dyn") else [])
        lines.append(f"{operand['name']}: {_operand(operand)}" + (f"  # {', '.join(notes)}" if notes else ""))
    for item in data["calls"]:
        lines.append(f"{item['name']} = {_call(item)}")
    lines.append(f"return {', '.join(data['fetch'])}")
    return "\n".join(lines)


def _call(item: Data) -> str:
    args = list(item.get("args") or ())
    kwargs: Dict[str, Any] = item.get("kwargs") or {}
    if item["fn"] in ("getitem", "setitem"):
        index = args[1]["tuple"] if isinstance(args[1], dict) and "tuple" in args[1] else [args[1]]
        text = f"{_argument(args[0])}[{', '.join(map(_argument, index))}]"
        return text if item["fn"] == "getitem" else f"{text} = {_argument(args[2])}"
    texts = [_argument(value) for value in args] + [f"{name}={_argument(value)}" for name, value in kwargs.items()]
    return f"{short_name(item['fn'])}({', '.join(texts)})"


def _argument(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_argument, value))}]"
    if isinstance(value, dict):
        if "v" in value:
            return str(value["v"])
        if "slice" in value:
            parts = ["" if part is None else _argument(part) for part in value["slice"]]
            return ":".join(parts if parts[2] else parts[:2])
        if "tuple" in value:
            return f"({', '.join(map(_argument, value['tuple']))},)"
        return str(value.get("float", "..."))
    return repr(value)
