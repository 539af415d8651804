"""Runs the invocations of paddle2onnx_cases.txt as scripts do: each in a new process and a new folder.

    paddle2onnx_cases.py                          with the replacement package; prints the differences from the file
    paddle2onnx_cases.py --record 1.3.1 PYTHON    with PYTHON, which has that version of Paddle2ONNX; writes the results
    paddle2onnx_cases.py --record ours PYTHON     the same with the replacement package
    paddle2onnx_cases.py --table                  prints the counts of docs/paddle2onnx.md
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterable, List, Optional

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_suffix(".txt")
SAMPLES = ROOT / "tests" / "data" / "models"
VERSIONS = ("1.0.8", "1.3.1", "2.1.0")

# Files of the folder in which a case runs, by their place in the sample models.
_FILES = {
    "det/inference.pdmodel": "jit/model.pdmodel",
    "det/inference.pdiparams": "jit/model.pdiparams",
    "paddlex/model.pdmodel": "jit/model.pdmodel",
    "paddlex/model.pdiparams": "jit/model.pdiparams",
    "pir/inference.json": "pir/jit/model.json",
    "pir/inference.pdiparams": "pir/jit/model.pdiparams",
    "old/__model__": "model_combined/__model__",
    "old/__params__": "model_combined/__params__",
    "sep/__model__": "model_separate/__model__",
    "sep/fc_1.b_0": "model_separate/fc_1.b_0",
    "sep/fc_1.w_0": "model_separate/fc_1.w_0",
    "ptq/model.pdmodel": "ptq_int8/model.pdmodel",
    "ptq/model.pdiparams": "ptq_int8/model.pdiparams",
    "axes/model.pdmodel": "axis_tensor/model.pdmodel",
    "arrays/model.pdmodel": "tensor_array/model.pdmodel",
    "no_params/model.pdmodel": "no_params/model.pdmodel",
    "bare/model.pdmodel": "jit/model.pdmodel",
}
_COMMAND = "import sys\nfrom paddle2onnx.command import main\nsys.exit(main())"


@dataclass
class Case:
    command: str
    group: str
    results: Dict[str, str] = field(default_factory=dict)

    @property
    def needs_paddle(self) -> bool:
        return bool(re.search(r"\bimport paddle\b(?!2)", self.command))

    @property
    def needs_numpy(self) -> bool:
        return "ptq" in self.command and "tensorrt" in self.command

    @property
    def needs_paddle_3(self) -> bool:
        return self.needs_paddle and "pir/" in self.command

    def works(self, version: str) -> bool:
        return not self.results[version].startswith("fails")

    @property
    def is_same(self) -> bool:
        """Whether a version of Paddle2ONNX has the result of ours. A failure counts only if it works in no version."""
        alike = any(self.results[version] == self.results["ours"] for version in VERSIONS)
        return alike and (self.works("ours") or not any(map(self.works, VERSIONS)))


def read(path: Path = FILE) -> List[Case]:
    cases: List[Case] = []
    group = ""
    for line in path.read_text().splitlines():
        if line.startswith("= "):
            group = line[2:]
        elif line.startswith("$ "):
            cases.append(Case(line[2:], group))
        elif line and not line.startswith("#"):
            key, _, value = line.partition(" | ")
            cases[-1].results[key.strip()] = value
    return cases


def write(cases: Iterable[Case], path: Path = FILE) -> None:
    head = [line for line in path.read_text().split("\n= ")[0].splitlines() if line.startswith("#") or not line]
    lines = [*head]
    group = ""
    for case in cases:
        if case.group != group:
            group = case.group
            lines += [*([""] if lines[-1] else []), f"= {group}"]
        lines.append(f"$ {case.command}")
        lines += [f"{key} | {case.results[key]}" for key in (*VERSIONS, "ours", "why") if key in case.results]
    path.write_text("\n".join(lines) + "\n")


def prepare(folder: Path) -> None:
    """The files that the cases read."""
    import fluid2onnx

    for name, sample in _FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(SAMPLES / sample, folder / name)
    fluid2onnx.convert(SAMPLES / "static_save", folder / "good.onnx", opset=11)


def run(case: Case, python: str, env: Dict[str, str], models: Path, stop_after: float = 300) -> str:
    """The result of a case, in the form of the file of cases."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "work"
        shutil.copytree(models, folder)
        before = set(folder.rglob("*"))
        kind, _, rest = case.command.partition(" ")
        if kind == "py":
            words = [python, "-c", rest.replace(";;", "\n")]
        elif kind == "sh":
            quoted = f"{shlex.quote(python)} -c {shlex.quote(_COMMAND)}"
            words = ["sh", "-c", shlex.split(rest)[1].replace("paddle2onnx", quoted, 1)]
        else:
            words = [python, *(["-c", _COMMAND] if kind == "paddle2onnx" else []), *shlex.split(rest)]
        done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, errors="replace", timeout=stop_after)
        new = [path for path in sorted(folder.rglob("*")) if path not in before and path.is_file()]
        files = [found for found in map(_described, new) if found]
        if files and done.returncode == 0:
            return "; ".join(files)
        asks_for_file = "a.onnx" in case.command or "--save_file" in case.command or " -s " in case.command or "'a'" in case.command
        if done.returncode or (asks_for_file and kind != "sh"):
            return "fails" + ("" if done.returncode else ", exit code 0") + (" and a file" if files else "")
        last = done.stdout.strip().splitlines()[-1:] if kind == "py" and "print(" in case.command else []
        return " ".join(["ok", *last])


def _described(path: Path) -> Optional[str]:
    """The opset and the ports of an ONNX file."""
    from fluid2onnx.wire import fields, text

    content = path.read_bytes()
    if not content or path.suffix in (".pdmodel", ".pdiparams", ".json", ".info", ".cache", ".data"):
        return None
    try:
        graph = next(value for number, _, value in fields(content) if number == 7)
        opsets = [value for number, _, value in fields(content) if number == 8]
        opset = next(value[0] for number, _, value in fields(opsets[0]) if number == 2)
        ports = [",".join(text(value, 1) for number, _, value in fields(graph) if number == wanted) for wanted in (11, 12)]
    except (StopIteration, IndexError, ValueError):
        return None
    return f"{opset} {ports[0]} -> {ports[1]}"


def environment(shim: bool) -> Dict[str, str]:
    """Of a process in which the replacement package, or else the interpreter's own Paddle2ONNX, is imported."""
    env = {**os.environ, "GLOG_minloglevel": "2"}
    if shim:
        env["PYTHONPATH"] = os.pathsep.join([str(ROOT / "python" / "shim"), *(path for path in sys.path if path)])
    else:
        env.pop("PYTHONPATH", None)
    return env


def run_all(cases: List[Case], python: str, env: Dict[str, str]) -> List[str]:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        prepare(Path(folder))
        return list(pool.map(lambda case: run(case, python, env, Path(folder)), cases))


def table(cases: List[Case]) -> List[str]:
    """Rows of docs/paddle2onnx.md: by group, how many invocations work in each version, and how many are the same here."""
    groups = list(dict.fromkeys(case.group for case in cases))
    rows = []
    for name, members in [*((group, [case for case in cases if case.group == group]) for group in groups), ("all", cases)]:
        counts = [sum(case.works(version) for case in members) for version in (*VERSIONS, "ours")]
        rows.append("| " + " | ".join(map(str, [name, len(members), *counts, sum(case.is_same for case in members)])) + " |")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--record", nargs=2, metavar=("VERSION", "PYTHON"))
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--only", default="", help="cases with this text")
    options = parser.parse_args()
    if options.table:
        print(*table(read()), sep="\n")
        return 0
    cases = [case for case in read() if options.only in case.command]
    version, python = options.record or ("ours", sys.executable)
    results = run_all(cases, python, environment(version == "ours"))
    found = {case.command: result for case, result in zip(cases, results)}
    every = read()  # the runs take minutes: the file may have changed
    for case in every:
        result = found.get(case.command)
        if result is None:
            continue
        if case.results.get(version) != result:
            print(f"{case.command}\n    {case.results.get(version)} -> {result}")
        case.results[version] = result
    if options.record:
        write(every)
    return 0


if __name__ == "__main__":
    sys.exit(main())
