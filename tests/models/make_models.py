#!/usr/bin/env python3
"""Exports the models of the model tests with real Paddle, with inputs and Paddle's own outputs.

    make_models.py [--out DIR] [--quick] [NAME ...]

A model is a folder: the files that Paddle wrote, inputs.npz, outputs.npz (out0, out1 ...), the same with _b for another
batch size (of sequences also _c), and meta.json. What exists is not made again. Needs `paddlepaddle==2.6.2 'numpy<2'`.
"""
import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))
import harness  # noqa: E402,F401  (settings that Paddle reads when it is imported, and the path of fluid2onnx)
import numpy as np  # noqa: E402

# Raised when a model changes: the older ones are then made again.
EDITION = 3
LAYOUTS = {"static_vgg_separate": None, "static_vgg_combined": "__params__"}
SEQUENCES = ["attention", "beam_search", "dynamic_rnn", "gru_crf_tagger", "select_output", "sequences_in_blocks", "static_rnn"]  # quickly made
QUICK = ["resnet18", "mobilenet_v2", "lstm_language_model", "transformer_encoder", "while", "if", "stem", "parallel_convolutions", "sequence_convolutions", "fusions", "detection_head", *LAYOUTS, *SEQUENCES]


def default_folder() -> Path:
    """The user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fluid2onnx" / "models"


def names() -> List[str]:
    """Every model. Imports Paddle."""
    import sequences
    from architectures import OTHERS, classifiers

    return [*classifiers(), *OTHERS, *LAYOUTS, *sequences.MODELS]


def meta_of(folder: Path) -> Optional[Dict[str, Any]]:
    """meta.json of a complete model, or None."""
    try:
        meta = json.loads((folder / "meta.json").read_text())
    except (OSError, ValueError):
        return None
    return meta if meta.get("edition") == EDITION else None


def make(name: str, folder: Path) -> Dict[str, Any]:
    """Makes a model unless it exists; returns its meta.json, which is written last."""
    meta = meta_of(folder)
    if meta:
        return meta
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    import sequences

    if name in LAYOUTS:
        meta = _save_static(folder, LAYOUTS[name])
    elif name in sequences.MODELS:
        meta = _save_sequences(sequences.MODELS[name](), folder)
    else:
        meta = _save_layer(name, folder)
    meta.update(id=name, edition=EDITION)
    (folder / "meta.json").write_text(json.dumps(meta, indent=1) + "\n")
    return meta


def _save_layer(name: str, folder: Path) -> Dict[str, Any]:
    import paddle

    from architectures import OTHERS, classifier

    paddle.disable_static()
    paddle.seed(7)
    network = OTHERS[name]() if name in OTHERS else classifier(name)
    network.layer.eval()
    paddle.jit.save(network.layer, str(folder / "model"), input_spec=list(network.spec))
    meta = {"model": "model.pdmodel", "params": "model.pdiparams" if (folder / "model.pdiparams").exists() else None}
    names = [spec.name for spec in network.spec]
    _answer(folder, meta, lambda rng, size: dict(zip(names, network.draw(rng, size))))
    return meta


def _save_static(folder: Path, params: Optional[str]) -> Dict[str, Any]:
    """In the layouts of Paddle 1.x: __model__, and either a file of parameters or one file for each."""
    import paddle

    from architectures import static_vgg

    paddle.enable_static()
    main, startup, inputs, outputs = static_vgg()
    executor = paddle.static.Executor(paddle.CPUPlace())
    with paddle.static.scope_guard(paddle.static.Scope()):
        executor.run(startup)
        program = paddle.static.normalize_program(main, inputs, outputs)
        (folder / "__model__").write_bytes(paddle.static.serialize_program(inputs, outputs, program=program))
        paddle.static.io.save_vars(executor, str(folder), program, predicate=paddle.static.io.is_persistable, filename=params)
    meta = {"model": "__model__", "params": params}
    _answer(folder, meta, lambda rng, size: {"image": rng.standard_normal((size, 3, 32, 32)).astype("float32")})
    return meta


def _save_sequences(example: Any, folder: Path) -> Dict[str, Any]:
    """A program written operator by operator, with its answers for batches of sequences."""
    from fluid2onnx import paddle_model

    example.net.save(folder)
    meta: Dict[str, Any] = {"model": "model.pdmodel", "params": "model.pdiparams" if example.net.params else None, "lod": {}, "output_lod": {}}
    for index, (batch, suffix) in enumerate(zip(example.batches, ("", "_b", "_c"))):
        # Once more, because Paddle's tensor arrays keep what the run before put into them.
        model = paddle_model.load(folder / meta["model"], folder / meta["params"] if meta["params"] else None)
        drawn = example.draw(np.random.default_rng(index), batch)
        arrays = {feed.name: drawn[feed.name] for feed in model.feeds}
        meta["lod"][suffix] = example.lod(model.feeds, batch)
        outputs, meta["output_lod"][suffix] = model.run_with_lod(arrays, meta["lod"][suffix])
        _keep(folder, suffix, arrays, outputs)
    meta["outputs"] = model.outputs
    return meta


def _keep(folder: Path, suffix: str, arrays: Dict[str, np.ndarray], outputs: List[np.ndarray]) -> None:
    if not all(np.isfinite(array).all() for array in outputs):
        raise ValueError(f"{folder.name}: outputs that are not finite prove nothing")
    np.savez(folder / f"inputs{suffix}.npz", **arrays)
    np.savez(folder / f"outputs{suffix}.npz", **{f"out{i}": array for i, array in enumerate(outputs)})


def _answer(folder: Path, meta: Dict[str, Any], draw: Any) -> None:
    """Runs the saved files on two sets of inputs."""
    from fluid2onnx import paddle_model

    model = paddle_model.load(folder / meta["model"], folder / meta["params"] if meta["params"] else None)
    for size, suffix in ((1, ""), (2, "_b")):
        drawn = draw(np.random.default_rng(size), size)
        arrays = {feed.name: drawn[feed.name] for feed in model.feeds}
        _keep(folder, suffix, arrays, model.run(arrays))
    meta["outputs"] = model.outputs


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", metavar="NAME", nargs="*", help="default: all")
    parser.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    parser.add_argument("--out", metavar="DIR", type=Path, default=default_folder(), help="default: %(default)s")
    options = parser.parse_args()
    for name in options.names or (QUICK if options.quick else names()):
        make(name, options.out / name)
        print(options.out / name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
