"""The examples of the specs as test cases: reading them, and keeping their references."""
import hashlib
import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from fluid2onnx import executable
from fluid2onnx.compare import Tolerance

# Raised when the way in which programs are made or run changes: older references are then not used.
ORACLE = 2
# What does not change the reference.
_NOT_HASHED = {"spec", "line", "tol", "refused", "opsets", "doc"}


@dataclass
class Case:
    """One example of one spec; `data` is the object that `opgen examples` wrote.

    A variant of an example is in other dtypes: Paddle may reject it, and the converter may refuse it with a reason.
    """

    data: Dict[str, Any]
    variant: bool = False

    @property
    def op(self) -> str:
        return str(self.data["op"])

    @property
    def name(self) -> str:
        """As `--only` takes it."""
        return f"{self.op}:{self.data['example']}"

    @property
    def place(self) -> str:
        return f"{self.data.get('spec', '?')}:{self.data.get('line', '?')}"

    @property
    def refused(self) -> Optional[str]:
        """The code with which the converter has to refuse the case."""
        return self.data.get("refused") or None

    @property
    def of_onnx(self) -> bool:
        """Whether the operator is ONNX's, and is converted to Paddle."""
        return "onnx" in self.data

    @property
    def of_paddle_3(self) -> bool:
        """Whether Paddle 3 makes the reference: nothing else does, and there is one to make."""
        return "paddle_3" in self.data and not self.data.get("reference") and not self.refused

    @property
    def tolerance(self) -> Tolerance:
        tol = self.data.get("tol") or {}
        if not isinstance(tol, dict):
            tol = {"rtol": tol, "atol": tol}
        return Tolerance(tol.get("rtol"), tol.get("atol"))

    @property
    def opsets(self) -> Sequence[int]:
        """Those at which the example is run."""
        return parse_opsets(self.data.get("opsets"))

    def key(self, paddle: str) -> str:
        """Of the reference: whatever determines it."""
        kept = {name: value for name, value in self.data.items() if name not in _NOT_HASHED}
        text = json.dumps([ORACLE, paddle, kept], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def parse_opsets(text: Any) -> range:
    """ "13+", "11..12" or "13"; nothing is all."""
    known = executable.opsets()
    if text in (None, ""):
        return known
    match = re.fullmatch(r"(\d+)(?:(\+)|\.\.(\d+))?", str(text).replace(" ", ""))
    if not match:
        raise ValueError(f"opsets '{text}' are not of the form 13+, 11..12 or 13")
    low = int(match[1])
    high = known[-1] if match[2] else int(match[3] or low)
    return range(max(low, known[0]), min(high, known[-1]) + 1)


def read_cases(text: str, onnx: bool = False) -> List[Case]:
    """Reads the JSON that `opgen examples` writes: a list, or an object with the list in "examples". Those of Paddle's
    operators, or of ONNX's."""
    document = json.loads(text)
    if isinstance(document, dict):
        document = document["examples"]
    return [case for case in map(Case, document) if case.of_onnx == onnx]


def ask_opgen(opgen: str, root: Path) -> str:
    """Has opgen write the examples of a repository's specs."""
    done = subprocess.run([opgen, "examples", "--root", str(root)], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


def select(cases: Sequence[Case], only: Sequence[str]) -> List[Case]:
    """The cases that `--only op` or `--only op:example` name; all without any. An example's name covers its variants."""
    wanted = set(only)
    return [case for case in cases if not wanted or wanted & {case.op, case.name, case.name.partition("@")[0]}]


@dataclass
class Reference:
    """A program of one operator on disk, its inputs, and Paddle's outputs."""

    folder: Path
    inputs: Dict[str, np.ndarray]
    outputs: List[np.ndarray]
    names: List[str]
    lod: Dict[str, List[List[int]]]
    output_lod: List[List[List[int]]] = field(default_factory=list)

    @property
    def model(self) -> str:
        path = self.folder / "model.json"
        return str(path if path.exists() else self.folder / "model.pdmodel")

    @property
    def params(self) -> Optional[str]:
        path = self.folder / "model.pdiparams"
        return str(path) if path.exists() else None

    @property
    def request(self) -> Dict[str, str]:
        """Members of a request to convert: `lod` is `single` if each operand with LoD has one sequence, and the outputs
        inherit them."""
        divided = [levels for levels in self.output_lod if levels]
        inherited = all(levels in self.lod.values() for levels in divided)
        if self.lod and inherited and all([len(offsets) for offsets in levels] == [2] for levels in self.lod.values()):
            return {"lod": "single"}
        return {"lod": "lengths"} if divided else {}

    def save(self) -> None:
        """Written last, so that a folder with a reference is complete."""
        arrays = {f"in{i}": array for i, array in enumerate(self.inputs.values())}
        arrays.update((f"out{i}", array) for i, array in enumerate(self.outputs))
        np.savez(self.folder / "arrays.npz", **arrays)
        index = {"inputs": list(self.inputs), "outputs": self.names, "lod": self.lod, "output_lod": self.output_lod}
        (self.folder / "reference.json").write_text(json.dumps(index))


def save_rejection(folder: Path, reason: str) -> None:
    """Keeps why Paddle cannot run a variant, so that it is not asked again."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rejected.txt").write_text(reason)


def load_rejection(folder: Path) -> Optional[str]:
    """What `save_rejection` wrote, or None."""
    try:
        return (folder / "rejected.txt").read_text()
    except OSError:
        return None


def load_reference(folder: Path) -> Optional[Reference]:
    """What `Reference.save` wrote, or None."""
    try:
        index = json.loads((folder / "reference.json").read_text())
        with np.load(folder / "arrays.npz") as arrays:
            inputs = {name: arrays[f"in{i}"] for i, name in enumerate(index["inputs"])}
            outputs = [arrays[f"out{i}"] for i in range(len(index["outputs"]))]
    except (OSError, ValueError, KeyError):
        return None
    return Reference(folder, inputs, outputs, index["outputs"], index["lod"], index["output_lod"])
