"""Common parts of the ONNX-to-Paddle tests: the harness, and lists of expected failures."""

import re
import sys
from pathlib import Path
from typing import Iterator, List, Optional, Tuple

HERE = Path(__file__).resolve().parent
GENERATED = HERE.parents[1] / "generated"
sys.path.insert(0, str(HERE.parent / "conformance"))
from harness.program_runner import PaddleError, PaddleProcess, as_fed  # noqa: E402, F401  # for those who import this


def read_expected(path: Path) -> List[Tuple[str, str]]:
    """(pattern, reason): a line in brackets is the reason of the names below it."""
    reason, expected = "", []
    for line in path.read_text().splitlines() if path.exists() else []:
        line = line.partition("#")[0].strip()
        if line.startswith("["):
            reason = line.strip("[]")
        elif line:
            expected.append((line, reason))
    return expected


def converters() -> Iterator[Tuple[str, int, Optional[int]]]:
    """(operator of ONNX, first opset, last opset or None) of each spec, from the tables that opgen prints."""
    for path in sorted(GENERATED.glob("*.cc")):
        for table in re.findall(r"static constexpr OnnxConverter rows\[\] = \{(.*?)\n  \};", path.read_text(), re.DOTALL):
            for op, first, others in re.findall(r'\{"([\w.]+)",\s*[\w:]+,\s*\w+,\s*(\d+),([^{}]*)\}', table):
                last = re.search(r",\s*(\d+)$", others)
                yield op, int(first), int(last[1]) if last else None
