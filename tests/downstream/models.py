"""The models of the suite: folders with Paddle's files, inputs and Paddle's outputs."""
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterator, List, Optional

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("model.pdmodel", "__model__", "model.json", "model.pir.json")
PARAMETERS = ("model.pdiparams", "__params__")
# Models whose name begins with one of these belong to the family.
FAMILIES = {
    "classification": ("clas_", "alexnet", "densenet", "googlenet", "inception", "mobilenet", "resne", "shufflenet", "squeezenet", "vgg", "wide_resnet", "static_vgg", "stem"),
    "detection": ("det_",),
    "segmentation": ("seg_",),
    "text recognition (OCR)": ("ocr_",),
    "language": ("nlp_", "transformer", "lstm_language"),
    "image generation": ("gan_",),
    "vision, other": ("vision_",),
    "recurrent": ("nn_", "gru", "simple_rnn", "bidirectional", "data/lstm"),
    "control flow": ("flow_", "while", "if", "data/while", "data/cond", "data/nested", "data/tensor_array"),
    "quantised": ("quant_", "data/ptq"),
    "Fluid 1.x, LoD": ("fluid_", "attention", "beam_search", "dynamic_rnn", "gru_crf", "select_output", "sequences_", "static_rnn", "arrays_of"),
}


@dataclass
class Model:
    """A model with its cases: `in:NAME` and `out:INDEX` arrays of the recorded inputs and of another batch."""

    name: str
    program: Path
    params: Optional[Path]
    cases: List[Dict[str, np.ndarray]] = field(default_factory=list)

    def shapes(self) -> List[str]:
        """The inputs of the first case as values of --input-shape."""
        return [f"{key[3:]}={','.join(map(str, array.shape))}" for key, array in self.cases[0].items() if key.startswith("in:") and array.ndim]


def family(name: str) -> str:
    """The family that the documentation lists a model under."""
    return next((title for title, prefixes in FAMILIES.items() if name.startswith(prefixes)), "operators and layouts")


def _files(folder: Path) -> "Optional[tuple[Path, Optional[Path]]]":
    program = next((folder / name for name in PROGRAMS if (folder / name).exists()), None)
    if program is None:
        others = sorted([*folder.glob("*.pdmodel"), *folder.glob("*.json")])
        others = [path for path in others if path.name != "meta.json"]
        program = others[0] if len(others) == 1 else None
    if program is None:
        return None
    candidates = [program.with_suffix(".pdiparams"), *(folder / name for name in PARAMETERS)]
    return program, next((path for path in candidates if path.exists()), None)


def samples() -> Iterator[Model]:
    """The models of tests/data/models."""
    for record in sorted((ROOT / "tests/data/models").rglob("io.npz")):
        files = _files(record.parent)
        if files:
            name = str(record.parent.relative_to(ROOT / "tests/data/models"))
            yield Model(f"data/{name}", *files, [dict(np.load(record))])


def saved(folder: Path) -> Iterator[Model]:
    """Folders with inputs.npz and outputs.npz (out0, out1 ...), and inputs_b.npz, outputs_b.npz of another batch."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        files = _files(path)
        if not files or not (path / "outputs.npz").exists():
            continue
        meta = path / "meta.json"
        if meta.exists() and json.loads(meta.read_text()).get("lod"):
            continue  # sequences need --lod lengths; tests/models checks these
        model = Model(path.name, *files)
        for suffix in ("", "_b"):
            if not (path / f"outputs{suffix}.npz").exists():
                continue
            inputs, outputs = np.load(path / f"inputs{suffix}.npz"), np.load(path / f"outputs{suffix}.npz")
            case = {f"in:{key}": inputs[key] for key in inputs.files}
            case.update({f"out:{key[3:]}": outputs[key] for key in outputs.files})
            model.cases.append(case)
        yield model

