"""Making a failing case smaller: each step that leaves it failing in the same way is kept."""
import copy
from typing import Any, Callable, Iterator, List, Optional, Tuple

from .cases import CALLS, Data, RandomCase, owner, references
from .judging import Outcome
from .mutate import unchecked

TRIALS = 150

Still = Callable[[RandomCase], Optional[Outcome]]


def shrink(case: RandomCase, outcome: Outcome, still: Still) -> Iterator[Tuple[RandomCase, Outcome]]:
    """Yields ever smaller cases; the last is the smallest that was found.

    Of operators whose operands Paddle does not look at, sizes stay as they are: smaller ones could be another failure.
    """
    sizes = case.kind == CALLS or case.data["op"] not in unchecked()
    trials = 0
    progress = True
    while progress:
        progress = False
        for data in _smaller(case, sizes):
            trials += 1
            if trials > TRIALS:
                return
            candidate = case.with_data(data)
            found = still(candidate)
            if found is not None:
                case, outcome, progress = candidate, found, True
                yield case, outcome
                break


def _smaller(case: RandomCase, sizes: bool) -> Iterator[Data]:
    yield from _smaller_calls(case.data) if case.kind == CALLS else _smaller_operator(case.data, sizes)


def _changed(data: Data, change: Callable[[Data], Any]) -> Data:
    result = copy.deepcopy(data)
    change(result)
    return result


def _smaller_operator(data: Data, sizes: bool) -> Iterator[Data]:
    attrs = data.get("attrs") or {}
    if data.get("dyn"):
        yield _changed(data, lambda new: new.pop("dyn"))
        if isinstance(data["dyn"], dict):
            for slot, axes in data["dyn"].items():
                yield _changed(data, lambda new, slot=slot: new["dyn"].pop(slot))
                for axis in axes if len(axes) > 1 else ():
                    yield _changed(data, lambda new, slot=slot, axis=axis: new["dyn"][slot].remove(axis))
    for slot in data.get("const") or ():
        yield _changed(data, lambda new, slot=slot: new["const"].remove(slot))
    for name, attr in attrs.items():
        if not attr.get("default") and name != "dtype":
            yield _changed(data, lambda new, name=name: new["attrs"].pop(name))
    for slot, operands in data["inputs"].items():
        yield _changed(data, lambda new, slot=slot: new["inputs"].pop(slot))
        for index, operand in enumerate(operands if sizes else ()):
            for change in _smaller_operand(operand):
                yield _changed(data, lambda new, slot=slot, index=index, change=change: change(new["inputs"][slot][index]))
    if sizes:
        yield from _smaller_sizes(data, [operand for operands in data["inputs"].values() for operand in operands])


def _smaller_operand(operand: Data) -> Iterator[Callable[[Data], Any]]:
    shape = operand["shape"]
    if operand.get("values") is not None and operand["dtype"].startswith("float"):
        yield lambda new: new.pop("values")
    for axis, size in enumerate(shape):
        if operand.get("values") is None and size > 1:
            yield lambda new, axis=axis: new["shape"].__setitem__(axis, 1)
            if size > 2:
                yield lambda new, axis=axis: new["shape"].__setitem__(axis, 2)
    if operand["dtype"] in ("float64", "float16", "bfloat16") and operand.get("values") is None:
        yield lambda new: new.__setitem__("dtype", "float32")


def _smaller_sizes(data: Data, operands: List[Data]) -> Iterator[Data]:
    """A size smaller everywhere at once, or an axis less."""
    if any(operand.get("values") is not None for operand in operands):
        operands = [operand for operand in operands if operand.get("values") is None]
    for old in sorted({size for operand in operands for size in operand["shape"] if size > 1}, reverse=True):
        for new_size in {1, 2, 3, old - 1} - {old}:
            if 0 < new_size < old:

                def change(new: Data, old: int = old, new_size: int = new_size) -> None:
                    groups = new["inputs"] if "calls" in new else [o for group in new["inputs"].values() for o in group]
                    for operand in groups:
                        if operand.get("values") is None:
                            operand["shape"] = [new_size if size == old else size for size in operand["shape"]]

                yield _changed(data, change)


def _smaller_calls(data: Data) -> Iterator[Data]:
    calls = data["calls"]
    for count in range(1, len(calls)):
        yield _pruned(_changed(data, lambda new, count=count: (_keep(new, count))))
    for index in range(len(calls)):
        yield from _without(data, index)
    if len(data["fetch"]) > 1:
        for name in data["fetch"]:
            yield _changed(data, lambda new, name=name: new["fetch"].remove(name))
    for index, operand in enumerate(data["inputs"]):
        for key in ("const", "dyn"):
            if operand.get(key):
                yield _changed(data, lambda new, index=index, key=key: new["inputs"][index].pop(key))
        for axis in operand.get("dyn") or ():
            if len(operand["dyn"]) > 1:
                yield _changed(data, lambda new, index=index, axis=axis: new["inputs"][index]["dyn"].remove(axis))
    for index, item in enumerate(calls):
        for name in item.get("kwargs") or {}:
            yield _pruned(_changed(data, lambda new, index=index, name=name: new["calls"][index]["kwargs"].pop(name)))
    for index, operand in enumerate(data["inputs"]):
        for change in _smaller_operand(operand):
            yield _changed(data, lambda new, index=index, change=change: change(new["inputs"][index]))
    yield from _smaller_sizes(data, data["inputs"])


def _keep(data: Data, count: int) -> None:
    """Only the first calls; the last of them is fetched."""
    data["calls"] = data["calls"][:count]
    names = {item["name"] for item in data["calls"]}
    data["fetch"] = [name for name in data["fetch"] if owner(name)[0] in names] or [data["calls"][-1]["name"]]


def _without(data: Data, index: int) -> Iterator[Data]:
    """A call less: its first operand takes the place of its result."""
    item = data["calls"][index]
    for name in references([item.get("args"), item.get("kwargs")])[:2]:
        new = copy.deepcopy(data)
        del new["calls"][index]
        if not new["calls"]:
            return
        for other in new["calls"]:
            _replace([other.get("args"), other.get("kwargs")], item["name"], name)
        new["fetch"] = [kept for kept in new["fetch"] if owner(kept)[0] != item["name"]] or [new["calls"][-1]["name"]]
        yield _pruned(new)


def _replace(value: Any, old: str, new: str) -> None:
    if isinstance(value, list):
        for item in value:
            _replace(item, old, new)
    elif isinstance(value, dict):
        if "v" in value and owner(value["v"])[0] == old:
            value["v"] = new
        for item in value.values():
            _replace(item, old, new)


def _pruned(data: Data) -> Data:
    """Without inputs that nothing reads."""
    read = {owner(name)[0] for name in references(data["calls"])}
    data["inputs"] = [operand for operand in data["inputs"] if operand["name"] in read]
    return data
