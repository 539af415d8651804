"""Programs run by Paddle in a process of their own; `program_worker.py` runs there."""
import sys
from pathlib import Path
from typing import List, Optional, Sequence

import numpy as np

from .batch import Lines, Silence

_WORKER = Path(__file__).with_name("program_worker.py")


class PaddleError(Exception):
    """Paddle could not run a program; the message has the reason."""


class PaddleProcess:
    """A Python with Paddle, this one or another, that runs programs; started again when one ends it."""

    def __init__(self, python: Optional[str], timeout: float, deployed: bool = False):
        options = ["--deployed"] if deployed else []
        self._lines = Lines([python or sys.executable, str(_WORKER), *options], timeout)

    def run(self, model: Path, feeds: Sequence[np.ndarray]) -> List[np.ndarray]:
        """The results, in order, of an input for each port; files go beside the model. Raises PaddleError."""
        request = {"model": str(model), "inputs": str(model.parent / "in.npz"), "outputs": str(model.parent / "out.npz")}
        np.savez(request["inputs"], **{str(i): as_fed(array) for i, array in enumerate(feeds)})
        answer = self._lines.ask(request)
        if isinstance(answer, Silence):
            raise PaddleError(f"Paddle {answer.message}")
        if "error" in answer:
            raise PaddleError(f"Paddle: {answer['error']}")
        with np.load(request["outputs"]) as data:
            return [data[str(i)] for i in range(len(data.files))]

    def close(self) -> None:
        self._lines.close()


def as_fed(array: np.ndarray) -> np.ndarray:
    """bfloat16 as the bits that Paddle takes and gives."""
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array
