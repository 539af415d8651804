"""Variants of the examples in the other dtypes that Paddle's kernels take, and the table of what becomes of each dtype."""
import collections
import copy
import json
import math
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from fluid2onnx.tensor_stream import CODES

from .cases import Case
from .verify import PASSED, REFUSED, REJECTED

FACTS = Path("opspecs/facts/paddle-2.6.json")
FACTS_3 = Path("opspecs/facts/paddle-3.3.json")
TABLE = Path("opspecs/facts/dtypes.json")
# Where renderings differ most: the oldest opset, the one whose schemas changed most, and the newest that is run.
OPSETS = (7, 13, 26)

# Members of an example that say nothing about what is computed.
_NAMES = ("example", "line", "spec", "tol")
_VERDICTS = {PASSED: "verified", REFUSED: "refused", REJECTED: "rejected"}
_LIMITS = {
    "bool": (0, 1),
    "uint8": (0, 2**8 - 1),
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
_INDEX_DTYPES = ("int32", "int64")
# Numbers that stand for dtypes in attributes; of bfloat16, numpy knows the bits only.
_CODES = {**CODES, "bfloat16": CODES["uint16"]}
_DTYPE_ATTRIBUTES = ("dtype", "out_dtype")
# A tolerance below this was written for a dtype with more digits.
_DIGITS = {"float32": 1.0e-6, "float16": 1.0e-3}

Table = Dict[str, Dict[str, List[str]]]


def kernels(root: Path) -> Dict[str, List[str]]:
    """By operator as specs name it, the dtypes of Paddle's CPU kernels; those of Paddle 3 for what Paddle 2.6 lacks."""
    ops = json.loads((root / FACTS).read_text())["ops"]
    newer = json.loads((root / FACTS_3).read_text())["ops"]
    found = {op: entry["dtypes"] for op, entry in ops.items()}
    for op, entry in newer.items():
        if "fluid" not in entry:
            name = op.removesuffix("_")
            found[f"{name}_v3" if name in ops else name] = entry["dtypes"]
    return found


def variants(cases: Sequence[Case], known: Mapping[str, Sequence[str]]) -> List[Case]:
    """Each example with its data in every other dtype of the kernel, and with its indices in the other width.

    What is the same in two examples is given once; what another example has already, not at all.
    """
    indices = index_slots(cases)
    seen = {_content(case.data) for case in cases}
    found = []
    for case in cases:
        if case.refused:
            continue
        for data in _variants_of(case, known.get(case.op, ()), indices[case.op]):
            content = _content(data)
            if content not in seen:
                seen.add(content)
                found.append(Case(data, variant=True))
    return found


def index_slots(cases: Sequence[Case]) -> Dict[str, Set[str]]:
    """By operator, the slots of indices, sizes and masks: they hold such dtypes beside floats, and floats in no example."""
    found: Dict[str, Set[str]] = collections.defaultdict(set)
    floats: Dict[str, Set[str]] = collections.defaultdict(set)
    for case in cases:
        dtypes = {slot: {operand["dtype"] for operand in operands} for slot, operands in case.data["inputs"].items()}
        own = {slot for slot, given in dtypes.items() if any(map(_is_float, given))}
        floats[case.op] |= own
        if own:
            found[case.op] |= {slot for slot, given in dtypes.items() if given <= {*_INDEX_DTYPES, "bool"}}
    return collections.defaultdict(set, {op: slots - floats[op] for op, slots in found.items()})


def _variants_of(case: Case, kernel: Sequence[str], indices: Set[str]) -> Iterator[Dict[str, Any]]:
    if any(step["op"] == "assign_value" for step in case.data.get("reference") or ()):
        return  # the reference is numbers of one dtype
    own = data_dtype(case, kernel, indices)
    for dtype in kernel if own else ():
        if dtype != own:
            yield from changed(case, set(case.data["inputs"]) - indices, own, dtype, f"@{dtype}")
    for old, new in (_INDEX_DTYPES, _INDEX_DTYPES[::-1]):
        yield from changed(case, indices, old, new, f"@indices-{new}")
    for name in () if case.data.get("reference") else _DTYPE_ATTRIBUTES:  # which knows nothing of the attributes
        code = _attribute(case, name)
        for dtype in kernel if code in _CODES.values() else ():
            if _CODES[dtype] != code:
                data = copy.deepcopy(case.data)
                data["attrs"][name] = {"type": "int", "value": _CODES[dtype]}
                yield {**data, "example": f"{case.data['example']}@{name}-{dtype}"}


def data_dtype(case: Case, kernel: Sequence[str], indices: Set[str]) -> Optional[str]:
    """The dtype that chooses the kernel: the first among the operands that is one of the kernel's."""
    slots = {slot: operands for slot, operands in case.data["inputs"].items() if slot not in indices}
    dtypes = [operand["dtype"] for operands in slots.values() for operand in operands]
    return next((dtype for dtype in dtypes if dtype in kernel), None)


def _attribute(case: Case, name: str) -> Any:
    attribute = (case.data.get("attrs") or {}).get(name)
    return attribute["value"] if attribute else None


def changed(case: Case, slots: Iterable[str], old: str, new: str, suffix: str) -> Iterator[Dict[str, Any]]:
    """The example with all operands of one dtype in these slots in another; nothing where their values do not fit."""
    data = copy.deepcopy(case.data)
    data["example"] = f"{case.data['example']}{suffix}"
    changed = [operand for slot in sorted(slots) for operand in data["inputs"].get(slot, ()) if operand["dtype"] == old]
    for operand in changed:
        operand["dtype"] = new
    if new == "bfloat16":
        # Paddle rounds every partial sum to its 8 bits.
        data["tol"] = data.get("tol") or {"rtol": 0.02, "atol": 0.05}
    elif _rtol(data) < _DIGITS.get(new, 0):
        del data["tol"]
    if changed and all(_fit(operand) for operand in changed):
        yield data


def _rtol(data: Dict[str, Any]) -> float:
    """The relative tolerance that the example asks for; infinite if it asks for none."""
    tolerance = data.get("tol")
    return tolerance.get("rtol", math.inf) if tolerance else math.inf


def _fit(operand: Dict[str, Any]) -> bool:
    """Makes values and ranges those of an integer dtype; False if there are none."""
    if operand["dtype"] not in _LIMITS:
        return True
    low, high = _LIMITS[operand["dtype"]]
    if operand.get("boxes"):
        return False
    if operand.get("values") is not None:
        if not all(isinstance(value, (int, float)) and low <= value <= high for value in _flat(operand["values"])):
            return False
        operand["values"] = _rounded(operand["values"])
    if operand.get("range"):
        first, last, *inclusive = operand["range"]
        closed = bool(inclusive and inclusive[0])
        first, last = max(math.ceil(first), low), min(math.floor(last) if closed else math.ceil(last) - 1, high)
        operand["range"] = [first, last, True]
        return first <= last
    if operand.get("unique") and operand["dtype"] != "bool":
        operand["range"] = [0, min(math.prod(operand["shape"]), high), True]
    return True


def _is_float(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat", "complex"))


def _flat(values: Any) -> Iterator[Any]:
    if isinstance(values, list):
        for value in values:
            yield from _flat(value)
    else:
        yield values


def _rounded(values: Any) -> Any:
    return [_rounded(value) for value in values] if isinstance(values, list) else round(values)


def _content(data: Dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in data.items() if name not in _NAMES}, sort_keys=True)


def table(examples: Sequence[Case], outcomes: Iterable[Tuple[Case, str]], known: Mapping[str, Sequence[str]]) -> Table:
    """By operator, the kernel's dtypes that are verified in some form, those always refused, and those that Paddle rejects."""
    indices = index_slots(examples)
    everything = [(case, PASSED) for case in examples if not case.refused] + list(outcomes)
    found: Dict[str, Dict[str, Set[str]]] = {case.op: collections.defaultdict(set) for case in examples}
    for case, verdict in everything:
        for dtype in _dtypes_of(case, known.get(case.op, ()), indices[case.op]):
            found[case.op][dtype].add(verdict)
    return {op: _by_verdict(verdicts) for op, verdicts in found.items() if verdicts}


def _dtypes_of(case: Case, kernel: Sequence[str], indices: Set[str]) -> Set[str]:
    """The kernel's dtypes that a case is about."""
    data = data_dtype(case, kernel, indices)
    codes = [_attribute(case, name) for name in _DTYPE_ATTRIBUTES]
    return {data} if data else {dtype for dtype in kernel if _CODES[dtype] in codes}


def _by_verdict(verdicts: Mapping[str, Set[str]]) -> Dict[str, List[str]]:
    result: Dict[str, List[str]] = collections.defaultdict(list)
    for dtype, found in sorted(verdicts.items()):
        best = next((name for verdict, name in _VERDICTS.items() if verdict in found), None)
        if best:
            result[best].append(dtype)
    return {name: result[name] for name in _VERDICTS.values() if name in result}


def write_table(path: Path, found: Table) -> None:
    """One operator per line, so that a diff reads well."""
    rows = ",\n".join(f"  {json.dumps(op)}: {json.dumps(entry)}" for op, entry in sorted(found.items()))
    path.write_text("{\n" + rows + "\n}\n")


def read_table(path: Path) -> Table:
    """What `write_table` wrote; nothing if there is no file."""
    return json.loads(path.read_text()) if path.exists() else {}


def differences(written: Table, found: Table) -> List[str]:
    """The operators that differ between two tables."""
    return [op for op in sorted({*written, *found}) if written.get(op) != found.get(op)]
