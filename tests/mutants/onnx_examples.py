"""The examples of ONNX's operators for specs.py: how their models are converted to Paddle, and what Paddle then gives."""
import tempfile
from pathlib import Path

import onnx
from harness import judge, onnx_example
from harness.program_runner import PaddleError, PaddleProcess

from fluid2onnx.errors import ModelError

NEWEST_OPSET = 23  # of the models
LONGEST = 60  # seconds of a program in Paddle


class OnnxExamples:
    """As specs.Examples."""

    def __init__(self, unit, folder, batch):
        self.folder = folder
        self.batch = batch
        self.specs = []
        if unit.functions:
            with tempfile.NamedTemporaryFile('w', dir=folder, suffix='.yaml', delete=False) as file:
                file.write(unit.functions)
            self.specs.append(file.name)
        self.paddle = PaddleProcess(None, LONGEST)
        self.models = []
        for case in unit.cases:
            self.add_models(case)
        self.base = []
        self.why = self.run(unit.text, 'base', self.note)
        self.valid = bool(self.models) and not self.why

    def add_models(self, case):
        arrays = onnx_example.draw_all(case)
        truth = None
        for node in case.data['onnx']['nodes']:
            opset = min(node['last'], NEWEST_OPSET)
            if opset < node['first']:
                continue
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
