#!/usr/bin/env python3
"""Times models over sequences of different lengths (LoD) in ONNX Runtime and in Paddle, on the same batches, with one thread each.

    sequences.py FLUID2ONNX [--opset N] [--seconds S] [--model FOLDER]...

A row for each model and batch, ready for docs/benchmarks.md. The two run alternately; a ratio is the median of those between neighbours. What they give is
compared, too. --model adds saved models with one input of ids, such as LAC's.
"""
import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import sequences  # noqa: E402  (with the path to fluid2onnx)
from paddle import inference  # noqa: E402

from fluid2onnx import onnx_model, paddle_model  # noqa: E402

MODELS: "Dict[str, Callable[[], sequences.Example]]" = {
    "2 LSTMs of 256, 2000 words": lambda: sequences.language_model(words=2000, width=128, size=256),
    "4 GRUs of 256, CRF of 57 tags": lambda: sequences.tagger(words=2000, width=128, size=256, tags=57),
    "DynamicRNN of 256": lambda: sequences.dynamic_rnn(words=2000, width=128, size=256),
    "GRU of 128, 4 beams of 20 steps, 2000 words": lambda: sequences.beam_search(beam=4, words=2000, width=128, most=20),
}
BATCHES: "List[Tuple[str, Sequence[int]]]" = [
    ("1 of 40", (40,)),
    ("16 of 5 to 60", tuple(np.random.default_rng(0).integers(5, 61, 16).tolist())),
    ("64 of 5 to 60", tuple(np.random.default_rng(1).integers(5, 61, 64).tolist())),
]
Arrays = Dict[str, np.ndarray]
Lod = Dict[str, List[List[int]]]


def made(build: "Callable[[], sequences.Example]", folder: Path) -> "Tuple[str, str, Callable[[Sequence[int]], Tuple[Arrays, Lod]]]":
    """A model of this file: program, parameters, and what its batches are."""
    example = build()
    example.net.save(folder)
    feeds = paddle_model.load(folder / "model.pdmodel", folder / "model.pdiparams").feeds
    return str(folder / "model.pdmodel"), str(folder / "model.pdiparams"), lambda lengths: (
        example.draw(np.random.default_rng(0), lengths), example.lod(feeds, lengths))


def saved(path: str) -> "Tuple[str, str, Callable[[Sequence[int]], Tuple[Arrays, Lod]]]":
    """An ONNX file from another source."""
    feeds = paddle_model.load(path).feeds

    def draw(lengths: Sequence[int]) -> "Tuple[Arrays, Lod]":
        rng = np.random.default_rng(0)
        return {feed.name: rng.integers(0, 57, (sum(lengths), 1)) for feed in feeds}, {feed.name: [sequences.offsets(lengths)] for feed in feeds}

    return path, "", draw


def predictor_of(program: str, params: str, passes: bool) -> Any:
    """A predictor of Paddle with one thread."""
    config = inference.Config(program, params) if params else inference.Config(program)
    config.disable_gpu()
    config.disable_glog_info()
    config.set_cpu_math_library_num_threads(1)
    config.switch_ir_optim(passes)
    return inference.create_predictor(config)


def in_paddle(program: str, params: str, arrays: Arrays, lod: Lod) -> "Callable[[], List[np.ndarray]]":
    """A predictor as Paddle's users have it: with its passes, unless they fail on the program (on DynamicRNN's table of ranks)."""
    try:
        predictor = predictor_of(program, params, passes=True)
    except RuntimeError:
        predictor = predictor_of(program, params, passes=False)
    for name in predictor.get_input_names():
        handle = predictor.get_input_handle(name)
        handle.copy_from_cpu(arrays[name])
        handle.set_lod(lod.get(name, []))
    outputs = [predictor.get_output_handle(name) for name in predictor.get_output_names()]

    def run() -> List[np.ndarray]:
        predictor.run()
        return [output.copy_to_cpu() for output in outputs]

    return run


def in_onnxruntime(path: str, arrays: Arrays, lod: Lod) -> "Callable[[], List[np.ndarray]]":
    """A session with one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    feeds = onnx_model.match_inputs([node.name for node in session.get_inputs()], arrays, lod)
    names = [node.name for node in session.get_outputs() if not onnx_model.are_lengths(node.name)]
    return lambda: session.run(names, feeds)


def timed(runs: "Sequence[Callable[[], Any]]", seconds: float) -> List[List[float]]:
    """Milliseconds of each, run alternately."""
    times: List[List[float]] = [[] for _ in runs]
    for run in runs:
        run()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[0]) < 5:
        for run, record in zip(runs, times):
            start = time.perf_counter()
            run()
            record.append(1000 * (time.perf_counter() - start))
    return times


def rows(options: argparse.Namespace, folder: Path) -> Iterator[str]:
    """Of the table, as they are measured."""
    sources: "List[Tuple[str, Callable[[Path], Any]]]" = [(name, lambda where, build=build: made(build, where)) for name, build in MODELS.items()]
    sources += [(Path(path).parent.name, lambda where, path=path: saved(path)) for path in options.model]
    for number, (name, source) in enumerate(sources):
        where = folder / str(number)
        where.mkdir()
        program, params, draw = source(where)
        path = str(where / "model.onnx")
        subprocess.run([options.fluid2onnx, "convert", program, *(["--params", params] if params else []), "-o", path, "--opset", str(options.opset)],
                       check=True, stdout=subprocess.DEVNULL)
        for title, lengths in BATCHES:
            arrays, lod = draw(lengths)
            theirs, ours = in_paddle(program, params, arrays, lod), in_onnxruntime(path, arrays, lod)
            same = all(np.allclose(np.ravel(a), np.ravel(b), rtol=1e-4, atol=1e-5) for a, b in zip(theirs(), ours()))
            paddle, onnx = timed((theirs, ours), options.seconds)
            ratio = np.median(np.array(onnx) / np.array(paddle))
            yield f"| {name} | {title} | {np.median(paddle):.2f} ms | {np.median(onnx):.2f} ms | {ratio:.2f} |" + ("" if same else " DIFFERENT")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fluid2onnx", help="the converter")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--seconds", type=float, default=4.0, help="for each row (default: %(default)g)")
    parser.add_argument("--model", action="append", default=[], metavar="FOLDER", help="a saved model, too")
    options = parser.parse_args()
    print("| model | sequences | Paddle | ONNX Runtime | ratio |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        for row in rows(options, Path(scratch)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
