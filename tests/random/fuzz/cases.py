"""A random case: one operator with its attributes, or calls of Paddle's public functions. It is JSON, so that it can be kept.

An operator is an object as `opgen examples` writes it. Calls are

    {"inputs": [{"name": "x0", "dtype": "float32", "shape": [2, 3], "dyn": [0], "const": false, ...}],
     "calls": [{"name": "c0", "fn": "paddle.add", "args": [{"v": "x0"}, 1.0], "kwargs": {}}],
     "fetch": ["c0"]}

with inputs drawn as the operands of an example, and {"v": NAME} for an input or a result (NAME.INDEX of several).
"""
import hashlib
import json
import random
import re
from typing import Any, Dict, List, Sequence, Tuple

OPERATOR, CALLS = "operator", "calls"
Data = Dict[str, Any]


class RandomCase:
    """`seed` and `index` say where it comes from, and choose its values and opsets; `data` is what it is."""

    def __init__(self, data: Data, seed: int, index: int):
        self.data = data
        self.seed = seed
        self.index = index

    @property
    def kind(self) -> str:
        return CALLS if "calls" in self.data else OPERATOR

    @property
    def name(self) -> str:
        return f"{self.seed}-{self.index}"

    @property
    def subject(self) -> str:
        """The operator, or the functions in their order."""
        if self.kind == OPERATOR:
            return str(self.data["op"])
        return " ".join(short_name(call["fn"]) for call in self.data["calls"])

    def with_data(self, data: Data) -> "RandomCase":
        """The same values and opsets for something else."""
        return RandomCase(data, self.seed, self.index)

    def example(self) -> Data:
        """An operator as the conformance tests take it; the name makes the values those of this case."""
        return {**self.data, "example": self.name}

    def generator(self, purpose: str) -> random.Random:
        """Random numbers that depend on the case and the purpose alone."""
        return random.Random(f"{self.seed}/{self.index}/{purpose}")

    def to_json(self) -> str:
        """What `from_json` reads."""
        return json.dumps({"seed": self.seed, "index": self.index, "case": self.data}, sort_keys=True)

    @staticmethod
    def from_json(document: Data) -> "RandomCase":
        """From what `to_json` wrote, or the object of a case alone."""
        return RandomCase(document.get("case", document), int(document.get("seed", 0)), int(document.get("index", 0)))


def short_name(function: str) -> str:
    """paddle.nn.functional.relu as F.relu."""
    for long, short in (("paddle.nn.functional.", "F."), ("paddle.", "")):
        if function.startswith(long):
            return short + function[len(long) :]
    return function


def choose_opsets(case: RandomCase, count: int, newest: int) -> List[int]:
    """A few, such that all from the oldest on come equally often; an old one and a new one among them."""
    rng = case.generator("opsets")
    # Below opset 9 there is no Where to select finite elements.
    oldest = 9 if re.search(r'"-?(inf|nan)"', json.dumps(case.data["inputs"])) else 7
    chosen = [rng.randint(oldest, 12), rng.randint(13, newest)]
    while len(chosen) < count:
        other = rng.randint(oldest, newest)
        if other not in chosen:
            chosen.append(other)
    return sorted(chosen[:count]) if count > 1 else [rng.choice(chosen)]


def pick(key: str, options: Sequence[str]) -> str:
    """One of them, by a hash of the key and of each alone: whatever is added or taken away, the choice among the others stays."""
    return max(options, key=lambda option: hashlib.blake2b(f"{key}/{option}".encode(), digest_size=8).digest())


def references(value: Any) -> List[str]:
    """The names of inputs and results within the arguments of a call."""
    if isinstance(value, dict):
        return [value["v"]] if "v" in value else [name for item in value.values() for name in references(item)]
    if isinstance(value, (list, tuple)):
        return [name for item in value for name in references(item)]
    return []


def owner(name: str) -> "Tuple[str, int]":
    """(call or input, which of its results)."""
    base, _, index = name.partition(".")
    return base, int(index or 0)
