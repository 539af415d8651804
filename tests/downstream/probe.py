#!/usr/bin/env python3
"""Measures which ONNX operators an engine runs, and writes the file of its facts below opspecs/targets.

    probe.py --engines tract openvino          run one-operator models, write build/probes/ENGINE.json and the facts
    probe.py --engines tract --facts-only      write the facts from build/probes/ENGINE.json
    probe.py --engines tract --only LSTM       print the outcomes of one operator

Each model runs in a forked process with limits of time. Its outputs are compared with ONNX Runtime's.
"""
import argparse
import json
import multiprocessing
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import onnx

import engines
import probe_cases
import probe_facts
import probe_graphs
from engines import ENGINES, version
from judge import TOLERANCE, largest_error

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 30
MODELS_PER_WORKER = 300
MOST_BYTES = 8 << 30  # some models make MNN allocate all memory
MOST_CASES = 40
HOPELESS = 12  # give up after this many cases if none passes
# Engines that start another program for each model: some cases, and no variants. ncnn: up to the first that passes.
SLOW = {"ncnn": 4, "onnxruntime-web": 3}
# Engines that take some tenths of a second for each model: the usual dtypes.
SLOWER = ("mnn",)
USUAL_DTYPES = ("float32", "float16", "float64", "int32", "int64", "bool", "uint8")
CONVERTED_OPSET = 13  # at which run.py converts
RANKS = (0, 1, 2, 3, 5, 6)
PRELOADED = {
    "onnxruntime": ("onnxruntime",),
    "openvino": ("openvino",),
    "opencv": ("cv2",),
    "mnn": ("_tools", "MNN.expr", "MNN.nn"),
    "tract": ("tract",),
    "ncnn": ("ncnn",),
}


def prepared(file: Path) -> Dict[str, Any]:
    """All cases with their variants; computed once, because ONNX makes them slowly."""
    if file.exists():
        with file.open("rb") as stream:
            return pickle.load(stream)
    made: Dict[str, Any] = {}
    reference = Worker("onnxruntime")
    for op, cases in sorted(probe_cases.collected().items()):
        entry: Dict[str, Any] = {"cases": cases, "dtypes": {}, "ranks": {}, "versions": {}}
        # Variants of the plainest case in each variable.
        first = next((case for case in cases if case.inputs and case.inputs[0] is not None and str(case.inputs[0].dtype) == "float32"), cases[0])
        for variable, operands, dtypes in probe_cases.variables(first):
            own = probe_cases.dtype_name(first.inputs[operands[0]])
            entry["dtypes"][variable] = {own: first}
            for dtype in dtypes:
                changed = probe_cases.with_dtype(first, operands, dtype)
                if changed:
                    entry["dtypes"][variable][dtype] = changed
        for rank in RANKS:
            changed = probe_cases.with_rank(first, rank)
            if changed:
                entry["ranks"][rank] = changed
        for opset in probe_cases.versions(op):
            older = ((case.name, probe_cases.at_opset(case, opset)) for case in cases)
            found = {name: changed for name, changed in older if changed and has_its_meaning(reference, changed)}
            if found:
                entry["versions"][opset] = found
        made[op] = entry
    reference.stop()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as stream:
        pickle.dump(made, stream)
    return made


class Worker:
    """A forked process that runs models; a new one follows a crash or a model that takes too long."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.child = self.count = 0
        self.connection: Any = None

    def run(self, model: bytes, values: Dict[str, np.ndarray], expected: Sequence[np.ndarray]) -> str:
        """"ok", or why the model fails."""
        if not self.child or self.count >= MODELS_PER_WORKER:
            self.stop()
            self._start()
        self.count += 1
        self.connection.send((model, values, expected))
        answer = "time"
        try:
            if self.connection.poll(SECONDS):
                return str(self.connection.recv())
        except (EOFError, ConnectionError):
            answer = "crash"
        self.stop()
        return answer

    def stop(self) -> None:
        """Ends the process with those that it started."""
        if self.child:
            try:
                os.killpg(self.child, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
            os.waitpid(self.child, 0)
            self.connection.close()
        self.child = 0

    def _start(self) -> None:
        self.count = 0
        ours, theirs = multiprocessing.Pipe()
        self.child = os.fork()
        if self.child:
            theirs.close()
            self.connection = ours
            os.setpgid(self.child, self.child)
            return
        try:
            ours.close()
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
            engines._tool = _tool_in_process(engines._tool)  # pylint: disable=protected-access
            while True:
                task = theirs.recv()
                with tempfile.TemporaryDirectory() as scratch:
                    os.chdir(scratch)
                    theirs.send(_run(self.engine, *task))
                    os.chdir("/")
        finally:
            os._exit(0)


def _tool_in_process(tool: Callable[..., str]) -> Callable[..., str]:
    """Runs `python -c CODE` here: MNN's converter starts faster so."""

    def run(*command: Any) -> str:
        if command[:2] != ("python", "-c"):
            return tool(*command)
        exec(command[2], {})  # pylint: disable=exec-used
        return ""

    return run


def _run(engine: str, model: bytes, values: Dict[str, np.ndarray], expected: Sequence[np.ndarray]) -> str:
    stage = "load"
    try:
        path = Path("probe.onnx").resolve()
        path.write_bytes(model)
        run = ENGINES[engine].load(path, values)
        stage = "run"
        actual = run(values)
        stage = "compare"
        error = largest_error(actual, expected)
        return "ok" if error <= TOLERANCE * 2 else f"compare: relative error {error:.2g}"
    except Exception as problem:  # pylint: disable=broad-except
        return f"{stage}: {type(problem).__name__}: {' '.join(str(problem).split())[:300]}"


def attempt(worker: Worker, case: probe_cases.Case, constant: Sequence[int], wrapped: bool) -> str:
    """The outcome of one form of a case."""
    model, values = case.model(constant, wrapped)
    expected = case.outputs if values.keys() != {"zero"} else [case.outputs[0].astype(np.float32)]
    return worker.run(model.SerializeToString(), values, expected)


def has_its_meaning(reference: Worker, case: probe_cases.Case) -> bool:
    """False if ONNX Runtime has another result at the case's opset: Softmax of opset 7 has another meaning."""
    return not attempt(reference, case, (), False).startswith("compare")


Form = Tuple[Tuple[int, ...], bool]


def forms(case: probe_cases.Case) -> List[Form]:
    """The forms to try: all operands are inputs, all but the first are constants, all are."""
    given = [index for index, array in enumerate(case.inputs) if array is not None]
    other = any(str(array.dtype) != "float32" for array in [*case.outputs, *(case.inputs[index] for index in given)])  # type: ignore[union-attr]
    sets = [(), tuple(given[1:]), tuple(given)] if len(given) > 1 else [(), tuple(given)]
    return [(constant, wrapped) for constant in sets for wrapped in ([False, True] if other else [False])]


def first_passing(worker: Worker, case: probe_cases.Case, tried: Sequence[Form]) -> Tuple[Optional[Form], str]:
    """The first form that passes, or why the first one fails."""
    why = ""
    for form in tried:
        outcome = attempt(worker, case, *form)
        if outcome == "ok":
            return form, ""
        why = why or outcome
    return None, why


def probe_operator(worker: Worker, entry: Dict[str, Any]) -> Dict[str, Any]:
    """Outcomes of all probes of one operator; "" means that a probe passes."""
    found: Dict[str, Any] = {"cases": {}, "constant": {}, "dtypes": {}, "ranks": {}, "versions": {}}
    engine = worker.engine
    base: Optional[Tuple[probe_cases.Case, Form]] = None
    for case in entry["cases"][: SLOW.get(engine, 8 if engine in SLOWER else MOST_CASES)]:
        if base is None and len(found["cases"]) == HOPELESS or base and engine == "ncnn":
            break
        if engine == "ncnn":  # has no batch axis
            case = probe_cases.at_opset(case, CONVERTED_OPSET) or case
            case = probe_cases.with_batch_of_one(case) or case
        tried = forms(case)
        if engine in SLOW:
            # The form of most models first: one operand is data, the others are constants.
            tried.sort(key=lambda form: (0 not in form[0] and len(form[0]) > 0, not form[1]), reverse=True)
        if engine == "ncnn":  # evaluates constants by ONNX Runtime
            tried = [form for form in tried if 0 not in form[0]][:2]
        form, why = first_passing(worker, case, tried)
        found["cases"][case.name] = {"why": why} if form is None else {"constant": list(form[0])}
        if form and base is None:
            base = (case, form)
        if form and form[0] and len(found["constant"]) < 4 and engine not in SLOW:
            # Which of the operands must be constant: feed one at a time.
            for index in form[0]:
                others = tuple(other for other in form[0] if other != index)
                if index or len(form[0]) == 1:
                    passing, why = first_passing(worker, case, [(others, form[1]), (others, True)])
                    name = case.formal(index).name
                    found["constant"].setdefault(name, []).append("" if passing else why)
    if base is None:
        return found
    for opset, cases in entry["versions"].items():
        # The majority of cases decides: one may have a rare form, and OpenVINO ignores `axes` of some reductions.
        names = [name for name in cases if "constant" in found["cases"].get(name, {})] or list(cases)[:1]
        reasons = [first_passing(worker, cases[name], forms(cases[name]))[1] for name in names]
        failures = [why for why in reasons if why]
        found["versions"][str(opset)] = failures[0] if 2 * len(failures) > len(reasons) else ""
    if engine in SLOW:
        return found
    for variable, by_dtype in entry["dtypes"].items():
        for dtype, case in by_dtype.items():
            if dtype not in (USUAL_DTYPES if engine in SLOWER else probe_cases.PLAIN):
                continue
            found["dtypes"].setdefault(variable, {})[dtype] = first_passing(worker, case, forms(case))[1]
    for rank, case in entry["ranks"].items():
        found["ranks"][str(rank)] = first_passing(worker, case, forms(case))[1]
    return found


def probe_graph(worker: Worker, graph: probe_graphs.Graph) -> str:
    """The outcome of a model of control flow, sequences or recurrent operators."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    data = graph.model.SerializeToString()
    expected = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"]).run(None, graph.inputs)
    for port, array in zip(graph.model.graph.output, expected):
        port.CopyFrom(onnx.helper.make_tensor_value_info(port.name, port.type.tensor_type.elem_type, array.shape))
    outcome = worker.run(graph.model.SerializeToString(), graph.inputs, expected)
    return "" if outcome == "ok" else outcome


def measured(engine: str, made: Dict[str, Any], only: Sequence[str], verbose: bool) -> Dict[str, Any]:
    """All outcomes of an engine."""
    for module in PRELOADED.get(engine, ()):
        __import__(module)
    os.environ["RUST_BACKTRACE"] = os.environ["RUST_LIB_BACKTRACE"] = "0"
    worker = Worker(engine)
    result: Dict[str, Any] = {"engine": engine, "version": version(engine), "operators": {}, "graphs": {}}
    start = time.monotonic()
    for graph in probe_graphs.graphs():
        if not only or set(graph.ops) & set(only):
            result["graphs"][graph.name] = {"ops": list(graph.ops), "fact": graph.fact, "why": probe_graph(worker, graph)}
    relu = made["Relu"]["cases"][0]
    result["opsets"] = {}
    for opset in probe_facts.OPSETS if engine not in SLOW else (7, 13, 17, 26):
        labelled = probe_cases.at_opset(relu, opset)
        result["opsets"][str(opset)] = first_passing(worker, labelled, forms(labelled))[1] if labelled else ""
    for op, entry in made.items():
        if not only or op in only:
            result["operators"][op] = probe_operator(worker, entry)
            if verbose:
                print(f"{engine} {op} after {time.monotonic() - start:.0f} s", flush=True)
    worker.stop()
    print(f"{engine}: {len(result['operators'])} operators in {time.monotonic() - start:.0f} s", flush=True)
    return result


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="*", choices=list(ENGINES), default=list(probe_facts.TITLES))
    parser.add_argument("--only", metavar="OP", nargs="*", default=[], help="print the outcomes of these operators")
    parser.add_argument("--verbose", action="store_true", help="print each operator")
    parser.add_argument("--add", action="store_true", help="with --only: add these operators to the recorded outcomes")
    parser.add_argument("--facts-only", action="store_true", help="write the facts from recorded outcomes")
    parser.add_argument("--probes", metavar="DIR", type=Path, default=ROOT / "build/probes", help="outcomes; default: %(default)s")
    parser.add_argument("--targets", metavar="DIR", type=Path, default=ROOT / "opspecs/targets", help="facts; default: %(default)s")
    options = parser.parse_args()
    options.probes.mkdir(parents=True, exist_ok=True)
    made = prepared(options.probes / "cases.pickle")
    for engine in options.engines:
        file = options.probes / f"{engine}.json"
        if not options.facts_only:
            result = measured(engine, made, options.only, options.verbose)
            if options.add:
                before = json.loads(file.read_text()) if file.exists() else {**result, "operators": {}, "graphs": {}}
                for part in ("operators", "graphs"):
                    before[part].update(result[part])
                result = before
            elif options.only:
                print(json.dumps(result, indent=1))
                continue
            file.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
        options.targets.mkdir(parents=True, exist_ok=True)
        reference = options.probes / "onnxruntime.json"
        known = json.loads(reference.read_text()) if reference.exists() and engine != "onnxruntime" else None
        text = probe_facts.facts(json.loads(file.read_text()), made, known)
        (options.targets / f"{probe_facts.file_name(engine)}.yaml").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
