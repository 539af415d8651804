"""Random cases: what they are, how they are made, judged, made smaller and written down."""
import sys
from pathlib import Path

# The harness of the conformance tests sets up threads and the path to the Python package.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "conformance"))
import harness  # noqa: E402,F401
