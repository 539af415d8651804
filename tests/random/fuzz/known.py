"""Differences with known reasons: faults of Paddle and of ONNX Runtime, and documented limits of ours; known.json lists them."""
import json
import re
from pathlib import Path
from typing import Any, Collection, Dict, Iterator, List, Optional, Set, Tuple

from harness.cases import parse_opsets

from .cases import CALLS, RandomCase, owner, references
from .judging import Met, Outcome


LISTS = ("paddle", "onnxruntime", "limits")


class Known:
    """The list. An entry matches an outcome if everything that it names does."""

    def __init__(self, path: Path, paddle3: bool = False):
        lists: Dict[str, List[Dict[str, Any]]] = json.loads(path.read_text())
        self.entries = [entry for name in LISTS for entry in lists[name]]
        documented = _documented(path.resolve().parents[2])
        for place, entry in enumerate(self.entries):
            about = json.dumps(entry)[:120]
            if not (entry.get("ops") and entry.get("classes") and entry.get("reason") and entry.get("evidence")):
                raise ValueError(f"{path}: an entry needs ops, classes, reason and evidence: {about}")
            if "*" in entry["ops"]:
                raise ValueError(f"{path}: an entry names its operators: {about}")
            if entry in self.entries[:place]:
                raise ValueError(f"{path}: an entry is listed twice: {about}")
            if (entry in lists["limits"]) != ("limit" in entry):
                raise ValueError(f"{path}: the entries of 'limits', and no others, have a 'limit': {about}")
            if entry.get("limit", "") not in documented:
                raise ValueError(f"{path}: no spec and not the guide documents this limit: {entry['limit']}")
        self.entries = [entry for entry in self.entries if entry.get("paddle3", paddle3) == paddle3]

    def find(self, case: RandomCase, outcome: Outcome) -> Optional[Dict[str, Any]]:
        """The entry that an outcome falls under."""
        return next((entry for entry in self.entries if _matches(entry, case, outcome)), None)


def _documented(root: Path) -> str:
    """The limits that users read: those of the specs, and the guide's section of them."""
    guide = (root / "docs/guide.md").read_text()
    texts = [guide[guide.index("\n## Limits") :]]
    for spec in sorted((root / "opspecs").rglob("*.yaml")):
        texts += re.findall(r"^ *limits:(?:.*\n)(?: +- .*\n| {4,}.*\n)*", spec.read_text(), re.MULTILINE)
    return re.sub(r"\s+", " ", " ".join(texts))


def _matches(entry: Dict[str, Any], case: RandomCase, outcome: Outcome) -> bool:
    if outcome.kind not in entry["classes"] or not set(entry["ops"]) & _names(case):
        return False
    if "opsets" in entry and outcome.opset not in parse_opsets(entry["opsets"]):
        return False
    if "message" in entry and not re.search(entry["message"], outcome.detail):
        return False
    taken, met = _taken(entry, case, outcome), _met(entry, case, outcome)
    if entry.get("nonfinite") and not (met.nan or met.infinite):
        return False
    if entry.get("nan") and not met.nan:
        return False
    if entry.get("ties") and not taken.ties:
        return False
    if entry.get("poles") and not taken.poles:
        return False
    if "below" in entry and not taken.least < entry["below"]:
        return False
    if "apart" in entry and not taken.apart >= entry["apart"]:
        return False
    if "beyond" in entry and not (max(taken.largest, outcome.given.largest) >= entry["beyond"]):
        return False
    if "share" in entry and outcome.share > entry["share"]:
        return False
    if entry.get("numberless") and not outcome.numberless:
        return False
    if "holds" in entry and not re.search(entry["holds"], json.dumps(case.data["inputs"])):
        return False
    if "calls" in entry and not re.search(entry["calls"], json.dumps(case.data.get("calls"), sort_keys=True)):
        return False
    if entry.get("open") and not (case.data.get("dyn") or any(operand.get("dyn") or _fed_size(operand) for operand in _operands(case))):
        return False
    if entry.get("empty") and not _is_empty(entry, case, outcome):
        return False
    if entry.get("outgrown") and not _outgrown(case):
        return False
    if not all(_gives(case, name) for name in entry.get("given", ())):
        return False
    if "dtypes" in entry and not set(entry["dtypes"]) & {operand["dtype"] for operand in _operands(case)}:
        return False
    attrs = case.data.get("attrs") or {}
    return all((attrs.get(name) or {}).get("value") in values for name, values in (entry.get("attrs") or {}).items())


def _taken(entry: Dict[str, Any], case: RandomCase, outcome: Outcome) -> Met:
    """What there is among the operands of the operator, or of the calls that the entry is about."""
    return Met.among(met for name, met in outcome.met.items() if case.kind != CALLS or name in _about(entry, case))


def _met(entry: Dict[str, Any], case: RandomCase, outcome: Outcome) -> Met:
    """The same, with what these calls give."""
    calls = {call["name"] for call in _calls(entry, case)} if case.kind == CALLS else set()
    return Met.among([_taken(entry, case, outcome), *(met for name, met in outcome.met.items() if owner(name)[0] in calls)])


def _is_empty(entry: Dict[str, Any], case: RandomCase, outcome: Outcome) -> bool:
    if entry["empty"] == "declared":
        return any(size == 0 for operand, dyn in _with_open(case) for axis, size in enumerate(operand["shape"]) if axis not in dyn)
    if _met_empty(entry, case, outcome):
        return True
    if entry["empty"] == "oddly":
        return _oddly_empty(case)
    return any(0 in operand["shape"] for operand in _operands(case) if case.kind != CALLS or operand["name"] in _about(entry, case))


def _met_empty(entry: Dict[str, Any], case: RandomCase, outcome: Outcome) -> bool:
    """Whether a call gives something without elements that these calls take or give."""
    if case.kind != CALLS:
        return False
    calls, about = {call["name"] for call in case.data["calls"]}, {call["name"] for call in _calls(entry, case)} | _about(entry, case)
    return any(met.empty and owner(name)[0] in calls and (name in about or owner(name)[0] in about) for name, met in outcome.met.items())


def _calls(entry: Dict[str, Any], case: RandomCase) -> List[Dict[str, Any]]:
    return [call for call in case.data["calls"] if _function(call) in entry["ops"]]


def _about(entry: Dict[str, Any], case: RandomCase) -> Set[str]:
    return set(references(_calls(entry, case)))


def _function(call: Dict[str, Any]) -> str:
    return f"Tensor.{call['args'][0]}" if call["fn"] == "in_place" else str(call["fn"])


def _oddly_empty(case: RandomCase) -> bool:
    """Whether a size is 0 that the model does not leave open, or that is not the first: rows there may be none of, but no image has no pixels."""
    return any(size == 0 and (axis or 0 not in dyn) for operand, dyn in _with_open(case) for axis, size in enumerate(operand["shape"]))


def _with_open(case: RandomCase) -> Iterator[Tuple[Dict[str, Any], Collection[int]]]:
    """The operands with their open axes."""
    if case.kind == CALLS:
        yield from ((operand, operand.get("dyn") or ()) for operand in case.data["inputs"])
        return
    dyn, constant = case.data.get("dyn") or {}, case.data.get("const") or ()
    for slot, operands in case.data["inputs"].items():
        for operand in operands:
            yield operand, () if slot in constant else range(len(operand["shape"])) if dyn == "all" else dyn.get(slot, ())


def _outgrown(case: RandomCase) -> bool:
    """Whether an operator's window ('ksize') is larger than the image that it slides over with its explicit paddings."""
    attrs = {name: attr.get("value") for name, attr in (case.data.get("attrs") or {}).items()}
    window, paddings = attrs.get("ksize"), attrs.get("paddings") or []
    if case.kind == CALLS or not window or attrs.get("padding_algorithm", "EXPLICIT") != "EXPLICIT":
        return False
    shape = case.data["inputs"]["X"][0]["shape"]
    sizes = shape[1:-1] if str(attrs.get("data_format")).endswith("C") else shape[2:]
    if len(paddings) == len(sizes):
        paddings = [padding for padding in paddings for _ in range(2)]
    padded = [size + sum(paddings[2 * axis : 2 * axis + 2]) for axis, size in enumerate(sizes)]
    return any(extent > size for extent, size in zip(window, padded))


def _fed_size(operand: Dict[str, Any]) -> bool:
    """Whether a call takes a single integer that is known only at run time, which a size may be."""
    return operand.get("const") is False and isinstance(operand.get("values"), (int, list)) and operand["dtype"] in ("int32", "int64") and operand["shape"] in ([], [1])


def _gives(case: RandomCase, name: str) -> bool:
    """Whether an operator has an operand of this name, or an attribute that is not empty."""
    given = {**(case.data.get("attrs") or {}), **(case.data["inputs"] if case.kind != CALLS else {})}.get(name)
    return bool(given.get("value") if isinstance(given, dict) else given)


def _names(case: RandomCase) -> set:
    if case.kind != CALLS:
        return {case.data["op"]}
    return {_function(call) for call in case.data["calls"]}


def _operands(case: RandomCase) -> List[Dict[str, Any]]:
    inputs = case.data["inputs"]
    return inputs if case.kind == CALLS else [operand for group in inputs.values() for operand in group]
