"""What the tests of the way back share: the harness, and lists of expected failures."""

import sys
from pathlib import Path
from typing import List, Tuple

HERE = Path(__file__).resolve().parent
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
