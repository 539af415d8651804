"""The options of `paddle2onnx`, as data: those of 1.0.8, 1.3.1 and 2.1.0 at once."""
import argparse
import ast
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Sequence, Tuple

OLD, MIDDLE, NEW = "1.0.8", "1.3.1", "2.1.0"
VERSIONS = (MIDDLE, NEW, OLD)  # in the order in which an abbreviation is looked for


def boolean(text: str) -> bool:
    """A literal of Python, as `True` or `0`; also what shells' users write."""
    word = text.strip()
    return bool(_evaluated(word.capitalize() if word.lower() in ("true", "false") else word, "expected True or False"))


def literal(text: str) -> Any:
    """A literal of Python, such as a dict; nothing for an empty text."""
    return _evaluated(text.strip(), "expected a literal of Python, such as {'x': [1, 3]}; mind the shell's quotes") if text.strip() else None


def _evaluated(text: str, expected: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise argparse.ArgumentTypeError(f"{text!r}: {expected}") from None


@dataclass(frozen=True)
class Flag:
    """`note`: what to say to those who give it, because it changes nothing here."""

    name: str
    versions: Tuple[str, ...]
    help: str
    short: Optional[str] = None
    type: Callable[[str], Any] = str
    default: Any = None
    choices: Optional[Sequence[str]] = None
    note: Optional[str] = None


_ALL = (OLD, MIDDLE, NEW)
_CHECKED = "what is written has always passed ONNX's checker"
_OPTIMISED = "the graph is always optimised, by the converter itself"

FLAGS: List[Flag] = [
    Flag("model_dir", _ALL, "folder of the model", short="m"),
    Flag("model_filename", _ALL, "file of the program in that folder; without it the only one there", short="mf"),
    Flag("params_filename", _ALL, "file of the parameters in that folder; without it the parameters beside the program", short="pf"),
    Flag("save_file", _ALL, "the ONNX file to write", short="s"),
    Flag("opset_version", _ALL, "opset of the ONNX model", short="ov", type=int, default=9),
    Flag("enable_auto_update_opset", _ALL, "take the lowest opset that works where the one asked for does not", type=boolean, default=True),
    Flag("input_shape_dict", (OLD,), "shapes of inputs, such as \"{'image': [1, 3, 608, 608]}\"", short="isd", type=literal),
    Flag("output_names", (OLD,), "names of outputs: a list, or a dict from old to new", short="on", type=literal),
    Flag("export_fp16_model", (MIDDLE,), "weights and computation in float16; inputs and outputs stay", type=boolean, default=False),
    Flag(
        "deploy_backend",
        (MIDDLE,),
        "what is to run the model",
        short="d",
        default="onnxruntime",
        choices=("onnxruntime", "tensorrt", "rknn", "others"),
    ),
    Flag("save_calibration_file", (MIDDLE,), "where the scales of a quantised model go, with the backend tensorrt", default="calibration.cache"),
    Flag("external_filename", (MIDDLE,), "name for the weights of large models", note="weights above 2 GB go to SAVE_FILE.data"),
    Flag("custom_ops", (MIDDLE,), "operators that become custom ones", type=literal, default={}, note="custom operators are not made; all that is supported converts by itself"),
    Flag("enable_onnx_checker", _ALL, "check the model", type=boolean, default=True, note=_CHECKED),
    Flag("enable_paddle_fallback", (OLD, MIDDLE), "Paddle's own operators as custom ones", type=boolean, default=False, note="no operators of Paddle's are left in the model"),
    Flag("enable_dev_version", (OLD,), "the newer of two converters", type=boolean, default=None, note="there is one converter"),
    Flag("enable_dist_prim_all", (NEW,), "split combined operators", type=boolean, default=False, note="combined operators are converted as they are"),
    Flag("optimize_tool", (NEW,), "who optimises the model", default="polygraphy", choices=("polygraphy", "onnxoptimizer", "None"), note=_OPTIMISED),
    Flag("enable_optimization", (NEW,), "optimise the model", type=boolean, default=True, note=_OPTIMISED),
    Flag("enable_verbose", (NEW,), "say more", type=boolean, default=False),
]


def expand(word: str) -> str:
    """An abbreviated `--option[=value]` in full, as the first version understands it for which it is no riddle."""
    if not word.startswith("--") or word == "--":
        return word
    name, equals, value = word[2:].partition("=")
    if any(flag.name == name for flag in FLAGS) or name in ("version", "help"):
        return word
    for version in VERSIONS:
        found = [flag.name for flag in FLAGS if version in flag.versions and flag.name.startswith(name)]
        found += [known for known in ("version", "help") if known.startswith(name)]
        if len(found) == 1:
            return f"--{found[0]}{equals}{value}"
    return word
