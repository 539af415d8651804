"""What the conformance tests, the model tests and the corpus runner share."""
import importlib.util
import os
import sys
from pathlib import Path

from . import environments

# One thread each: the tests run several workers. Must be set before numpy, Paddle or ONNX Runtime start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("GLOG_minloglevel", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

# An interpreter that only runs Paddle for another one needs neither of the two.
_needed = ("numpy",) if os.environ.get("HARNESS_PADDLE_ONLY") else ("numpy", "onnx", "onnxruntime")
_missing = [name for name in _needed if importlib.util.find_spec(name) is None]
if _missing:
    _made = None if os.environ.get("HARNESS_PADDLE_ONLY") else environments.find("paddle-2.6")
    if _made and _made != sys.executable:
        os.execv(_made, [_made, *sys.orig_argv[1:]])
    print(f"{Path(sys.argv[0]).name}: error: {sys.executable} lacks {' and '.join(_missing)}", file=sys.stderr)
    print("  hint: run it with the Python that scripts/quickstart makes and prints, or", file=sys.stderr)
    print(f"  hint: {sys.executable} -m pip install paddlepaddle==2.6.2 'numpy<2' onnx onnxruntime", file=sys.stderr)
    sys.exit(2)
