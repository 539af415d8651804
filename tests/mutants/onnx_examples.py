"""The examples of ONNX's operators for specs.py, and ONNX's own tests of them: how their models are converted to Paddle, and what Paddle then
gives.
"""
import functools
import re
from pathlib import Path

import numpy as np
import onnx
from harness import judge, onnx_example
from harness.program_runner import PaddleError, PaddleProcess

from fluid2onnx.compare import Tolerance
from fluid2onnx.errors import ModelError

LONGEST = 60  # seconds of a program in Paddle


MOST_TESTS = 60  # of ONNX's tests, for one operator or function


@functools.cache
def node_tests():
    """ONNX's tests of one node with tensors, by operator."""
    from onnx.backend.test.loader import load_model_tests

    by_operator = {}
    for test in load_model_tests(kind='node'):
        nodes, values = test.model.graph.node, [*test.model.graph.input, *test.model.graph.output]
        if len(nodes) == 1 and not nodes[0].domain and all(value.type.HasField('tensor_type') for value in values):
            by_operator.setdefault(nodes[0].op_type, []).append(test)
    return by_operator


def operators_of(unit):
    """Names of the operators that the unit defines; of a function, those of its file."""
    text = unit.text if unit.function() else unit.own_text()
    return set(re.findall(r'^(?:- )?op: (\w+)$', text, re.M)) | set(re.findall(r'[ {](\w+): ', ' '.join(re.findall(
        r'for_each:(.*?)\n  (?=doc|inputs)', text, re.S))))


class OnnxExamples:
    """As specs.Examples."""

    def __init__(self, unit, folder, batch):
        self.folder = folder
        self.batch = batch
        self.specs = unit.other_specs(folder)
        self.paddle = PaddleProcess(None, LONGEST)
        self.models = []
        for case in unit.cases:
            self.add_models(case)
        tests = [test for name in sorted(operators_of(unit)) for test in node_tests().get(name, [])]
        for test in tests[::max(1, len(tests) // MOST_TESTS)]:
            self.add_test(test)
        self.base = []
        self.why = self.run(unit.text, 'base', self.note)
        self.valid = bool(self.models) and not self.why

    def add_models(self, case):
        arrays = onnx_example.draw_all(case)
        truth = None
        for node, opset in onnx_example.versions(case):
            path = self.folder / f'example{len(self.models)}.onnx'
            model = onnx_example.build(case, node, opset, arrays)
            onnx.save(model, path)
            feeds = {port.name: arrays[port.name] for port in model.graph.input}
            expected = None
            if not case.refused:
                try:
                    truth = onnx_example.run_onnx(str(path), opset, feeds, truth)
                except ModelError:
                    continue
                onnx_example.declare(model, truth)
                onnx.save(model, path)
                names = [port.name for port in model.graph.output]
                expected = judge.Expected(feeds, truth.outputs, names, case.tolerance, random=bool(case.data.get('random')))
            self.models.append((path, expected))

    def add_test(self, test):
        inputs, outputs = test.data_sets[0]
        if not all(isinstance(array, np.ndarray) and array.dtype.kind in 'fiub' for array in [*inputs, *outputs]):
            return
        path = self.folder / f'example{len(self.models)}.onnx'
        onnx.save(test.model, path)
        feeds = {port.name: array for port, array in zip(test.model.graph.input, inputs)}
        names = [port.name for port in test.model.graph.output]
        self.models.append((path, judge.Expected(feeds, list(outputs), names, Tolerance(test.rtol, max(test.atol, 1e-5)))))

    def run(self, text, name, judge_one):
        """The first problem of an example; '' without one."""
        spec = self.folder / f'{name}.yaml'
        spec.write_text(text)
        out = self.folder / 'model.pdmodel'
        for number, (path, _) in enumerate(self.models):
            out.with_suffix('.pdiparams').unlink(missing_ok=True)
            reply = self.batch.convert(str(path), None, str(out), None, specs=[str(spec), *self.specs])
            content = b''.join(file.read_bytes() for file in (out, out.with_suffix('.pdiparams')) if reply.ok and file.exists())
            problem = judge_one(number, reply, content)
            if problem:
                return problem
        return ''

    def note(self, _, reply, content):
        if reply.code == 'E_USAGE':
            return reply.message
        self.base.append((reply.ok, reply.code, content))
        return ''

    def verdict(self, mutant, number):
        """killed, alive, unreached or invalid."""
        others = []

        def compare(example, reply, content):
            if reply.code == 'E_USAGE':
                return 'invalid'
            ok, code, same = self.base[example]
            if (reply.ok, reply.code) != (ok, code):
                return 'killed'
            if not ok or content == same:
                return ''
            others.append(example)
            return '' if self.agrees(self.models[example][1]) else 'killed'

        return self.run(mutant.text, f'mutant{number}', compare) or ('alive' if others else 'unreached')

    def agrees(self, expected):
        try:
            got = self.paddle.run(self.folder / 'model.pdmodel', list(expected.inputs.values()))
        except PaddleError:
            return False
        return not judge.compare(expected.names, got, expected)

    def close(self):
        self.paddle.close()
