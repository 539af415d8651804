"""Programs of Paddle 3, made by another interpreter that has it: this process asks, serve.py answers."""
import json
from pathlib import Path
from typing import Any, Dict

import numpy as np

from fluid2onnx.errors import ModelError
from harness.batch import Lines, Silence
from harness.cases import Reference

from .cases import RandomCase

SERVER = Path(__file__).resolve().parents[1] / "serve.py"


class Paddle3:
    """The client. A crash there is an error here, and the next request restarts it."""

    def __init__(self, python: str, settings: Dict[str, Any], timeout: float):
        self._lines = Lines([python, str(SERVER), json.dumps(settings)], timeout)

    def make(self, seed: int, index: int, op: str = "") -> RandomCase:
        """A case by its number.

        Raises:
            ModelError: Paddle accepts nothing that was tried.
        """
        return RandomCase.from_json(self._ask({"make": [seed, index, op]})["case"])

    def compute(self, case: RandomCase, folder: Path, how: str) -> Reference:
        """As `reference.compute`.

        Raises:
            ModelError: Paddle rejects the case, or crashes.
        """
        answer = self._ask({"compute": json.loads(case.to_json()), "folder": str(folder), "how": how})
        with np.load(folder / "arrays.npz") as arrays:
            inputs = {name: arrays[f"in{index}"] for index, name in enumerate(answer["inputs"])}
            outputs = [arrays[f"out{index}"] for index in range(len(answer["outputs"]))]
        return PirReference(folder, inputs, outputs, answer["outputs"], answer["lod"])

    def _ask(self, request: Any) -> Dict[str, Any]:
        answer = self._lines.ask(request)
        if isinstance(answer, Silence):
            raise ModelError(f"Paddle 3 {answer.message}")
        if "error" in answer:
            raise ModelError(answer["error"])
        return answer


class PirReference(Reference):
    """Its program is of the newer representation."""

    @property
    def model(self) -> str:
        return str(self.folder / "model.json")
