"""What the conformance tests, the model tests and the corpus runner share."""
import os
import sys
from pathlib import Path

# One thread each: the tests run several workers. Must be set before numpy, Paddle or ONNX Runtime start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("GLOG_minloglevel", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))
