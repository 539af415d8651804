"""Examples of the specs with other shapes, attributes, dtypes, constants and dynamic sizes.

What comes out is plausible rather than right: Paddle decides what it accepts.
"""
import copy
import functools
import json
import math
import random
from collections import defaultdict
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from harness import dtypes
from harness.cases import Case
from harness.operands import OperandError, draw

from .cases import pick

Data = Dict[str, Any]

BOUNDS = Path(__file__).resolve().parents[1] / "bounds.json"

# Sizes that are small, and now and then the two that break things.
SIZES = (1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8)
LARGER = (9, 12, 16, 17, 31, 33, 48, 64, 100)  # where roundings add up, and loops have another form
LARGEST = 1 << 14  # elements of an operand
SPECIAL_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-8)
EXTREME = ("inf", "-inf", 1e4, -1e4)


@functools.lru_cache(maxsize=None)
def _bounds() -> Dict[str, Any]:
    return json.loads(BOUNDS.read_text())


def unchecked() -> Dict[str, List[int]]:
    """Operators that read their operands as if these had the right shape, whatever they have; and sizes that never change."""
    return _bounds()["unchecked"]


class Mutator:
    """Makes cases of single operators."""

    def __init__(self, root: Path, examples: Sequence[Case], only: Sequence[str] = (), lod: bool = False):
        facts = json.loads((root / dtypes.FACTS).read_text())["ops"]
        self._attrs: Dict[str, Dict[str, Data]] = {op: {attr["name"]: attr for attr in fact["attrs"]} for op, fact in facts.items()}
        self._sources: Dict[str, Data] = json.loads((root / "opspecs/facts/params.json").read_text())["ops"]
        self._kernels = dtypes.kernels(root)
        usable = [case for case in examples if not case.refused and not case.data.get("reference") and not case.data.get("random")]
        # With other attributes, numbers that an example has made certain would be random.
        self._drawn = {case.op for case in examples if case.data.get("random")}
        # What becomes of NaN is part of what these do; elsewhere a model that is fed NaN is broken already.
        self._takes_nan = {case.op for case in usable if '"nan"' in json.dumps(case.data["inputs"])}
        self._indices = dtypes.index_slots(usable)
        self._by_op: Dict[str, Dict[str, Case]] = defaultdict(dict)
        self._seen: Dict[Tuple[str, str], List[Any]] = defaultdict(list)
        self._strings: Dict[Tuple[str, str], Set[str]] = defaultdict(set)
        for case in usable:
            if case.op in facts:
                self._learn(case)
                if not lod or _divided(case.data) or case.op in _bounds()["dividing"]["ops"]:
                    self._by_op[case.op][_text(case)] = case
        self._lod = lod
        self._unchecked = unchecked()
        self._domains: Dict[str, List[Any]] = _bounds()["attributes"]
        wanted = [op for op in only if op in self._by_op]
        self.operators = sorted(wanted or ([] if only else self._by_op))

    def make(self, name: str, op: str = "") -> Data:
        """The case of that name, of one operator or of any. The operator is chosen first, so that those with many examples do not crowd out the others.

        It hangs on the facts about its operator and the operator's examples alone; those of the other operators may change.
        """
        op = op or pick(f"{name}/operator", self.operators)
        text = pick(f"{name}/example", list(self._by_op[op]))
        rng = random.Random(f"{name}/{text}")
        data = copy.deepcopy(self._by_op[op][text].data)
        for key in ("spec", "line", "opsets"):
            data.pop(key, None)
        counted = any(count > 1 for count in data["outputs"].values())  # as many as the attributes and sizes say
        moves = [
            (self._resize, 0 if counted else 6),
            (self._resize_one, 0 if counted or op in self._unchecked else 2),
            (self._change_rank, 0 if counted or op in self._unchecked else 2),
            (self._change_attr, 7 if self._attrs[op] and op not in self._drawn else 0),
            (self._change_dtype, 2),
            (self._change_source, 3 if op in self._sources else 0),
            (self._change_const, 2),
            (self._change_dyn, 4),
            (self._divide, 12 if _divided(data) else 0),
            (self._change_values, 0 if op in _bounds()["finite"]["ops"] else 1),
        ]
        if self._lod:
            self._divide(data, rng)
        for _ in range(rng.choice((0, 1, 1, 2, 3) if self._lod else (1, 1, 2, 2, 3, 4))):
            rng.choices([move for move, _ in moves], [weight for _, weight in moves])[0](data, rng)
        self._keep_promises(data, rng)
        _drop_stale_values(data, rng)
        _leave_rows_open(data)
        del data["example"]
        return data

    def _keep_promises(self, data: Data, rng: random.Random) -> None:
        """What holds between operands, and Paddle does not look at."""
        for slot in _bounds()["ascending"].get(data["op"], ()):
            for operand in data["inputs"].get(slot, ()):
                operand["sorted"] = True
                if operand.get("values") is not None:
                    operand["values"] = np.sort(np.array(operand["values"]), axis=-1).tolist()
        for name, slots in _bounds()["as_many"].get(data["op"], {}).items():
            count = len((data["attrs"].get(name) or {}).get("value") or ())
            for operand in (operand for slot in slots for operand in data["inputs"].get(slot, ())):
                _set_shape(operand, [count])
        if data["op"] in _bounds()["elements"]:
            _end_behind(*((data["attrs"].get(name) or {}).get("value") or [] for name in _bounds()["elements"][data["op"]]))
        for slot in _bounds()["certain"].get(data["op"], ()):
            for operand in data["inputs"].get(slot, ()):
                count = math.prod(operand["shape"])
                operand["values"] = nested([rng.choice((0, 1)) for _ in range(count)], operand["shape"]) if count else None
        for slot in _bounds()["one_of_each_row"].get(data["op"], ()):
            for operand in data["inputs"].get(slot, ()):
                width = operand["shape"][-1] if operand["shape"] else 1
                rows = [rng.randrange(width) for _ in range(math.prod(operand["shape"]) // width)] if width else []
                operand["values"] = nested([float(rng.randint(1, 3)) if place == at else 0.0 for at in rows for place in range(width)], operand["shape"]) if rows else None
        for slot in _bounds()["corners"].get(data["op"], ()):
            for operand in data["inputs"].get(slot, ()):
                if operand["shape"][-1:] == [4] and operand.get("values") is None:
                    operand["boxes"] = True
        for slot, rows in _bounds()["counts"].get(data["op"], {}).items():
            for counts, boxes in zip(data["inputs"].get(slot, ()), data["inputs"].get(rows, ())):
                if len(counts["shape"]) == 1 and counts["shape"][0] and boxes["shape"]:
                    given = [0] * counts["shape"][0]
                    for _ in range(boxes["shape"][0]):
                        given[rng.randrange(len(given))] += 1
                    counts["values"] = given

        for slot, rows in _bounds()["states"].get(data["op"], {}).items():
            for state, divided in zip(data["inputs"].get(slot, ()), data["inputs"].get(rows, ())):
                if divided.get("lod") and state["shape"]:
                    _set_shape(state, [len(divided["lod"][-1]) - 1, *state["shape"][1:]])
        for slot in _bounds()["one_row"].get(data["op"], ()):
            first, *others = data["inputs"][slot]
            for operand in others if first.get("lod") else ():
                count = len(first["lod"][-1]) - 1
                _set_shape(operand, [count, *operand["shape"][1:]])
                operand["lod"] = [list(range(count + 1))]
        for slot, parts in _bounds()["parts"].get(data["op"], {}).items():
            _count_parts(data["inputs"][slot][0], *(data["inputs"][part][0] for part in parts), rng=rng)
        for slot, rows in _bounds()["lengths"].get(data["op"], {}).items():
            for lengths, padded in zip(data["inputs"].get(slot, ()), data["inputs"].get(rows, ())):
                if len(padded["shape"]) > 1:
                    _limit(lengths, padded["shape"][1])
        for slot, images in _bounds()["inside"].get(data["op"], {}).items():
            for sizes, image in zip(data["inputs"].get(slot, ()), data["inputs"].get(images, ())):
                if len(image["shape"]) == 4 and math.prod(image["shape"]) and sizes["shape"] == [image["shape"][0], 2]:
                    sizes["values"] = [[rng.randint(1, size) for size in image["shape"][2:]] for _ in range(image["shape"][0])]
        for slot, (channels, rows, columns) in _bounds()["grids"].get(data["op"], {}).items():
            _make_grids(data["inputs"][slot][0], data["attrs"].get(channels, {}).get("value", 1), data["inputs"][rows][0], data["inputs"][columns][0])

    def _data_operands(self, data: Data) -> List[Data]:
        """Operands that are not parameters: the length of a parameter depends on another's."""
        slots = {source.get(kind) for source in self._sources.get(data["op"], {}).values() if isinstance(source, dict) for kind in ("tensor", "list")}
        return [operand for slot, operands in data["inputs"].items() if slot not in slots for operand in operands]

    def _any_data(self, data: Data, rng: random.Random) -> Optional[Data]:
        every = self._data_operands(data)
        return rng.choice(every) if every else None

    def _learn(self, case: Case) -> None:
        for name, attr in (case.data.get("attrs") or {}).items():
            value = attr["value"]
            if value is not None and value not in self._seen[case.op, name]:
                self._seen[case.op, name].append(value)
            if attr["type"] == "string" and value:
                self._strings[case.op, name].add(value)

    def _resize(self, data: Data, rng: random.Random) -> None:
        """Replaces a size everywhere, usually in the attributes too."""
        fixed = self._unchecked.get(data["op"], ())
        resized = self._data_operands(data)
        sizes = sorted({dim for operand in resized for dim in operand["shape"] if dim > 1 and dim not in fixed})
        if not sizes:
            return
        old, new = rng.choice(sizes), _size(rng)
        if new == 0 and any(old in operand["shape"][1:] for operand in resized):
            new = 1
        shapes = [[new if dim == old else dim for dim in operand["shape"]] for operand in resized]
        if any(math.prod(shape) > LARGEST for shape in shapes):  # all of them or none
            return
        for operand, shape in zip(resized, shapes):
            _set_shape(operand, shape)
            _follow(operand, old, new)
        if rng.random() < 0.6:
            for attr in (data.get("attrs") or {}).values():
                if attr["type"] == "ints" and attr["value"]:
                    attr["value"] = [new if value == old else value for value in attr["value"]]

    def _divide(self, data: Data, rng: random.Random) -> None:
        """Other sequences: empty ones, those of one row, long ones. Operands with equal LoD keep equal LoD."""
        divided = [operand for operand in _operands(data) if operand.get("lod") and operand["shape"]]
        if not divided:  # they have become plain ones
            return
        old = max(len(operand["lod"][-1]) - 1 for operand in divided)
        count = old if rng.random() < 0.4 else rng.randint(1, 5)
        chosen: Dict[str, List[List[int]]] = {}
        rows = {}
        for operand in divided:
            key = json.dumps(operand["lod"])
            if key not in chosen:
                same = len(operand["lod"][-1]) - 1 == old
                chosen[key] = _other_lod(operand["lod"], count if same else len(operand["lod"][-1]) - 1, rng)
            rows.setdefault(operand["shape"][0], chosen[key][-1][-1])
            lod = chosen[key]
            _set_shape(operand, [lod[-1][-1], *operand["shape"][1:]])
            operand["lod"] = lod
        # Operands with a row for each row or each sequence go with them.
        constant = {operand["name"] for slot in data.get("const") or () for operand in data["inputs"].get(slot, ())}
        for operand in self._data_operands(data):
            if operand.get("lod") or not operand["shape"] or operand["name"] in constant:
                continue
            size = operand["shape"][0]
            if size == old and count != old:
                _set_shape(operand, [count, *operand["shape"][1:]])
            elif size in rows and size != old:
                _set_shape(operand, [rows[size], *operand["shape"][1:]])

    def _resize_one(self, data: Data, rng: random.Random) -> None:
        """One axis of one operand: broadcasting, and what happens to fit."""
        operand = self._any_data(data, rng)
        if operand and operand["shape"]:
            shape = list(operand["shape"])
            axis = rng.randrange(len(shape))
            shape[axis] = max(_size(rng), 1 if axis else 0)  # there may be no rows, but no other size is 0
            _set_shape(operand, shape)

    def _change_rank(self, data: Data, rng: random.Random) -> None:
        """An axis more or less, in one operand or in all."""
        grow, size, front = rng.random() < 0.6, rng.choice((1, 1, 2, 3)), rng.random() < 0.7
        one = self._any_data(data, rng) if rng.random() < 0.4 else None
        for operand in [one] if one else self._data_operands(data):
            shape = list(operand["shape"])
            if grow and len(shape) < 6:
                shape.insert(0 if front else len(shape), size)
            elif not grow and shape:
                shape.pop(0 if front else -1)
            _set_shape(operand, shape)
        if isinstance(data.get("dyn"), dict):
            del data["dyn"]

    def attribute_changes(self, seed: int, values: int) -> Iterator[Data]:
        """Each example with another value of one attribute, for each attribute of the operator and up to `values` times."""
        for op in self.operators:
            for text, example in sorted(self._by_op[op].items()) if op not in self._drawn else ():
                for name in self._changeable(example.data):
                    rng = random.Random(f"{seed}/{text}/{name}")
                    before = json.dumps((example.data["attrs"].get(name) or self._attrs[op][name]).get("value", self._attrs[op].get(name, {}).get("default")))
                    seen = {before}
                    for _ in range(10 * values):
                        data = copy.deepcopy(example.data)
                        self._set_attr(data, name, rng)
                        text_of_value = json.dumps((data["attrs"].get(name) or {}).get("value"))
                        if text_of_value in seen or len(seen) > values:
                            continue
                        seen.add(text_of_value)
                        for key in ("spec", "line", "opsets", "example"):
                            data.pop(key, None)
                        self._keep_promises(data, rng)
                        _drop_stale_values(data, rng)
                        yield data

    def _changeable(self, data: Data) -> List[str]:
        op, attrs = data["op"], data["attrs"]
        names = [name for name, fact in self._attrs[op].items() if not fact.get("extra") or name in attrs]
        return sorted(name for name in names if (attrs.get(name) or {"type": self._attrs[op].get(name, {}).get("type")})["type"] in _TYPES)

    def _change_attr(self, data: Data, rng: random.Random) -> None:
        names = self._changeable(data)
        if names:
            self._set_attr(data, rng.choice(names), rng)

    def _set_attr(self, data: Data, name: str, rng: random.Random) -> None:
        op, attrs = data["op"], data["attrs"]
        fact = self._attrs[op].get(name, {})
        attr = attrs.get(name) or {"type": fact["type"], "value": fact.get("default")}
        value = self._other_value(op, name, attr, fact, rng)
        if value is not None:
            attrs[name] = {"type": attr["type"], "value": value}

    def _other_value(self, op: str, name: str, attr: Data, fact: Data, rng: random.Random) -> Any:
        kind, value = attr["type"], attr["value"]
        seen = self._seen[op, name]
        domain = self._domains.get(f"{op}.{name}", self._domains.get(name))
        if domain is not None:
            return rng.choice(domain) if domain else None
        if name in ("dtype", "out_dtype", "in_dtype"):
            return rng.choice([-1, 0, 2, 3, 4, 5, 6, 20, 21])
        if kind == "bool":
            return not value
        if seen and rng.random() < 0.3:
            return json.loads(pick(str(rng.random()), [json.dumps(value) for value in seen]))
        if kind in ("int", "long"):
            return rng.choice([-2, -1, 0, 1, 2, 3, (value or 0) + 1, (value or 0) - 1])
        if kind in ("float", "double", "float64"):
            value = value if isinstance(value, (int, float)) else 0.0  # infinity is a string
            return rng.choice([0.0, 1.0, -1.0, 0.5, 2.0, 1e-5, -value, value * 2, value * 0.5, round(rng.uniform(-3, 3), 3)])
        if kind == "string":
            # What another operator calls so may be a layout that this one's kernel takes for its default.
            return pick(str(rng.random()), sorted(self._strings[op, name])) if self._strings[op, name] else None
        if kind == "ints":
            ints = _other_ints(list(value or []), rng)
            positive = name in _bounds()["positive"]["names"] and op not in _bounds()["positive"]["but"]
            if not positive:
                return ints
            return [max(1, item) for item in ints] if len(ints) == len(value or []) else None  # a number for each axis
        if kind == "floats":
            return [round(rng.choice((item, item * 2, item * 0.5, rng.uniform(0, 3))), 3) for item in value or []]
        return None

    def _change_dtype(self, data: Data, rng: random.Random) -> None:
        case = Case(data)
        kernel, indices = self._kernels.get(data["op"], ()), self._indices[data["op"]]
        own = dtypes.data_dtype(case, kernel, indices)
        changes: List[Tuple[Set[str], str, str]] = []
        if own:
            changes += [(set(data["inputs"]) - indices, own, dtype) for dtype in kernel if dtype != own]
        changes += [(indices, "int32", "int64"), (indices, "int64", "int32")] if indices else []
        if changes:
            changed = next(dtypes.changed(case, *rng.choice(changes), ""), None)
            if changed:
                data.clear()
                data.update(changed)

    def _change_source(self, data: Data, rng: random.Random) -> None:
        """A parameter comes from a tensor or a list of tensors instead of the attribute, fed or constant, or back."""
        op, attrs, inputs = data["op"], data["attrs"], data["inputs"]
        name, source = rng.choice(sorted(self._sources[op].items()))
        if not isinstance(source, dict):
            return
        slots = [slot for slot in (source.get("tensor"), source.get("list")) if slot]
        given = [slot for slot in slots if slot in inputs and inputs[slot]]
        if given and rng.random() < 0.5:
            self._to_attribute(data, name, given)
            return
        if given or not slots:
            return
        values = _values_of(attrs, source.get("attrs") or [name])
        if not values:
            return
        dtype = rng.choice(("int32", "int64")) if all(isinstance(value, int) for value in values) else "float32"
        slot = rng.choice(slots)
        if slot == source.get("list"):
            shape = rng.choice(([1], [1], []))
            inputs[slot] = [_operand(f"{slot}.{i}", dtype, shape, [value] if shape else value) for i, value in enumerate(values)]
        else:
            inputs[slot] = [_operand(slot, dtype, [len(values)], values)]
        if rng.random() < 0.5:
            data["const"] = [*(data.get("const") or []), slot]

    def _to_attribute(self, data: Data, name: str, given: Sequence[str]) -> None:
        values: List[Any] = []
        for slot in given:
            for operand in data["inputs"].pop(slot):
                held = operand.get("values")
                values += held if isinstance(held, list) else [held]
        fact = self._attrs[data["op"]].get(name)
        if fact is None or any(not isinstance(value, (int, float)) for value in values) or not values:
            return
        plural = fact["type"] in ("ints", "floats")
        if plural or fact["type"] in ("int", "float"):
            data["attrs"][name] = {"type": fact["type"], "value": values if plural else values[0]}

    def _change_const(self, data: Data, rng: random.Random) -> None:
        slots = sorted(slot for slot, operands in data["inputs"].items() if operands)
        if slots:
            slot, constant = rng.choice(slots), set(data.get("const") or [])
            data["const"] = sorted(constant ^ {slot})

    def _change_dyn(self, data: Data, rng: random.Random) -> None:
        choice = rng.random()
        data.pop("dyn", None)
        if choice < 0.25:
            data["dyn"] = "all"
        elif choice < 0.5:
            data["dyn"] = {slot: [0] for slot, operands in data["inputs"].items() if operands and all(len(o["shape"]) for o in operands)}
        elif choice < 0.8:
            data["dyn"] = {}
            for slot, operands in data["inputs"].items():
                rank = min((len(operand["shape"]) for operand in operands), default=0)
                axes = [axis for axis in range(rank) if rng.random() < 0.5]
                if axes:
                    data["dyn"][slot] = axes

    def _change_values(self, data: Data, rng: random.Random) -> None:
        """Some elements of a float operand are numbers at which functions change."""
        floats = [operand for operand in _operands(data) if operand["dtype"].startswith("float") and operand.get("values") is None]
        floats = [operand for operand in floats if 0 < math.prod(operand["shape"]) <= 64]
        if not floats:
            return
        operand = rng.choice(floats)
        array = draw(operand, f"special/{rng.random()}").astype(np.float64).reshape(-1).tolist()
        extreme = (*EXTREME, "nan") if data["op"] in self._takes_nan else EXTREME
        pool: Sequence[Any] = extreme if rng.random() < 0.25 else SPECIAL_FLOATS
        for index in range(len(array)):
            if rng.random() < 0.3:
                array[index] = rng.choice(pool)
        operand["values"] = nested(array, operand["shape"])


def _size(rng: random.Random) -> int:
    choice = rng.random()
    return 0 if choice < 0.03 else rng.choice(LARGER) if choice < 0.1 else rng.choice(SIZES)


def _leave_rows_open(data: Data) -> None:
    """Where there are no rows, their number is dynamic, and nothing else is."""
    empty = [slot for slot, operands in data["inputs"].items() if any(operand["shape"][:1] == [0] for operand in operands)]
    if empty:
        data["dyn"] = {slot: [0] for slot in empty}
        data["const"] = sorted(set(data.get("const") or ()) - set(empty))


def _text(case: Case) -> str:
    """The contents of an example, without its location."""
    return json.dumps({key: value for key, value in case.data.items() if key not in ("spec", "line", "example", "doc")}, sort_keys=True)


_TYPES = ("bool", "int", "long", "float", "double", "float64", "string", "ints", "longs", "floats")


def _operands(data: Data) -> Iterator[Data]:
    for operands in data["inputs"].values():
        yield from operands


def _divided(data: Data) -> bool:
    return any(operand.get("lod") for operand in _operands(data))


def _operand(name: str, dtype: str, shape: Sequence[int], values: Any) -> Data:
    return {"name": name, "dtype": dtype, "shape": list(shape), "values": values}


def _set_shape(operand: Data, shape: List[int]) -> None:
    """Values that no longer fit become a range that holds them: indices remain plausible."""
    if shape == operand["shape"] or math.prod(shape) > LARGEST:
        return
    if operand.get("lod"):
        operand["lod"] = _stretched(operand["lod"], shape[0]) if shape else None
    operand["shape"] = shape
    values = operand.pop("values", None)
    if values is None or operand.get("range"):
        return
    numbers = [value for value in np.ravel(np.array(values, dtype=object)) if isinstance(value, (int, float)) and math.isfinite(value)]
    if np.ndim(values) and len(numbers) > 1 and numbers == sorted(numbers):
        operand["sorted"] = True
    if numbers and operand["dtype"] != "bool":
        operand["range"] = [min(numbers), max(numbers), True]


def _lengths(count: int, rng: random.Random) -> List[int]:
    return [rng.choice((0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 7, 9, 9, 40)) for _ in range(count)]


def _offsets(lengths: Sequence[int]) -> List[int]:
    return [sum(lengths[:end]) for end in range(len(lengths) + 1)]


def _other_lod(lod: Sequence[Sequence[int]], count: int, rng: random.Random) -> List[List[int]]:
    """The same number of levels; the innermost has this number of sequences."""
    levels = [_offsets(_lengths(count, rng))]
    for outer in reversed(lod[:-1]):
        inner = len(levels[0]) - 1
        cuts = sorted(rng.randint(0, inner) for _ in range(len(outer) - 2))
        levels.insert(0, [0, *cuts, inner])
    return levels


def _stretched(lod: Sequence[Sequence[int]], rows: int) -> List[List[int]]:
    """As many sequences over another number of rows."""
    last = max(lod[-1][-1], 1)
    inner = [offset * rows // last for offset in lod[-1]]
    inner[-1] = rows
    return [*map(list, lod[:-1]), inner]


def _count_parts(mask: Data, chosen: Data, others: Data, rng: random.Random) -> None:
    """Sets the number of sequences or rows of each part to that in the mask."""
    if mask["shape"][1:] != [1] or not (chosen["shape"] and others["shape"]):
        return
    values = [rng.random() < 0.5 for _ in range(mask["shape"][0])]
    mask["values"] = [[value] for value in values]
    for part, count in ((chosen, sum(values)), (others, len(values) - sum(values))):
        if part.get("lod"):
            lod = [_offsets(_lengths(count, rng))]
            _set_shape(part, [lod[-1][-1], *part["shape"][1:]])
            part["lod"] = lod
        else:
            _set_shape(part, [count, *part["shape"][1:]])


def _end_behind(single: List[int], axes: Sequence[int], starts: Sequence[int], ends: List[int]) -> None:
    """Of axes that one element is taken of, which are among all, the end is behind the start."""
    single[:] = [axis for axis in single if axis in axes]
    for index, (axis, start) in enumerate(zip(axes, starts)):
        if axis in single and index < len(ends):
            ends[index] = start + 1 if start != -1 else (1 << 31) - 1


def _make_grids(operand: Data, channels: int, rows: Data, columns: Data) -> None:
    """As many elements as the grids have that sequences of rows and of columns stand for."""
    if not (rows.get("lod") and columns.get("lod") and operand["shape"]) or len(rows["lod"][-1]) != len(columns["lod"][-1]):
        return
    counts = [channels * (b - a) * (d - c) for (a, b), (c, d) in zip(*(zip(lod, lod[1:]) for lod in (rows["lod"][-1], columns["lod"][-1])))]
    offsets = _offsets(counts)
    _set_shape(operand, [offsets[-1], *operand["shape"][1:]])
    operand["lod"] = [offsets]


def _follow(operand: Data, old: int, new: int) -> None:
    """Indices and lengths along an axis that became another size."""
    if operand["dtype"] not in ("int32", "int64") or not new:
        return
    if operand.get("values") is not None:
        values = np.array(operand["values"])
        if values.size and new <= values.max() < old and values.min() >= 0:
            operand["values"] = (values % new).tolist()
        elif values.size and new < old == values.max() and values.min() >= 0:  # lengths
            operand["values"] = np.minimum(values, new).tolist()
    if not operand.get("range"):
        return
    low, high, *inclusive = operand["range"]
    last = high if inclusive and inclusive[0] else high - 1
    if last == old - 1 and low <= new - 1:
        operand["range"] = [low, new - 1, True]
    if low == -old:
        operand["range"] = [-new, *operand["range"][1:]]


def _limit(operand: Data, most: int) -> None:
    """Its numbers are `most` at most."""
    if operand.get("values") is not None:
        operand["values"] = np.minimum(operand["values"], most).tolist()
    else:
        operand["range"] = [0, most, True]


def _drop_stale_values(data: Data, rng: random.Random) -> None:
    """Ranges that cannot be drawn from are dropped."""
    for operand in _operands(data):
        try:
            draw(operand, "trial")
        except (OperandError, ValueError, OverflowError, TypeError):
            for key in ("values", "unique", "permutation"):
                operand.pop(key, None)
        if operand.get("boxes") and (not operand["shape"] or operand["shape"][-1] != 4):
            del operand["boxes"]


def _other_ints(value: List[int], rng: random.Random) -> List[int]:
    choice = rng.random()
    if value and choice < 0.5:
        value[rng.randrange(len(value))] = rng.choice([-2, -1, 0, 1, 2, 3, 4])
    elif value and choice < 0.65:
        rng.shuffle(value)
    elif value and choice < 0.8:
        value.pop(rng.randrange(len(value)))
    else:
        value.insert(rng.randint(0, len(value)), rng.choice([-1, 0, 1, 2]))
    return value


def _values_of(attrs: Mapping[str, Data], names: Sequence[str]) -> List[Any]:
    values: List[Any] = []
    for name in names:
        value = (attrs.get(name) or {}).get("value")
        values += value if isinstance(value, list) else [] if value is None else [value]
    return values if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values) else []


def nested(flat: Sequence[Any], shape: Sequence[int]) -> Any:
    """A flat list as lists within lists."""
    if not shape:
        return flat[0]
    step = len(flat) // shape[0] if shape[0] else 0
    return [nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
