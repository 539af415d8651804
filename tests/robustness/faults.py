#!/usr/bin/env python3
"""Makes system calls of fluid2onnx fail, one at a time, or kills it there.

    faults.py [--fluid2onnx BINARY] [--only WORD]... [--all] [--resumes N]

Each scenario converts a model over an earlier result. For each function, error and n, the n-th call fails. Afterwards the output is the earlier
one or the new one, whole; a failure has a code; and after the next run the folder has no temporary files. Without --all, every third n is tried
beyond the first six.
"""
import argparse
import errno
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import models  # noqa: E402

HANG = 20  # seconds
MOST = 60  # calls of one function
BAD_FILE = 3

FAULTS = {
    'open': ['EMFILE', 'EACCES', 'kill'],
    'read': ['EIO', 'EINTR', 'short'],
    'pread': ['EIO', 'EINTR', 'short', 'kill'],
    'write': ['ENOSPC', 'EIO', 'EINTR', 'short', 'kill'],
    'mmap': ['ENOMEM', 'kill'],
    'close': ['EIO', 'kill'],
    'rename': ['EIO', 'ENOSPC', 'kill'],
    'linkat': ['EIO', 'ENOSPC', 'kill'],
    'unlink': ['EACCES', 'kill'],
    'remove': ['EACCES', 'kill'],
    'fsync': ['EIO', 'ENOSPC', 'kill'],
    'flock': ['EINTR', 'kill'],
    'ftruncate': ['EIO', 'ENOSPC', 'kill'],
    'stat': ['EIO', 'kill'],
    'lstat': ['EIO', 'kill'],
    'fstat': ['EIO', 'kill'],
    'readlink': ['EIO', 'kill'],
    'madvise': ['EINVAL', 'kill'],
}


def legacy(operator, shape=(64, 30)):
    add = models.op('elementwise_add', {'X': ['x'], 'Y': ['w']}, {'Out': ['s']}, models.int_attr('axis', -1))
    last = models.op(operator, {'X': ['s']}, {'Out': ['y']})
    declared = models.variable('w', shape, persistable=True) + models.variable('s', shape) + models.variable('y', shape)
    return models.program(add + last, declared, dims=shape)


def newer(operator, value):
    weight = models.tensor('w', (64, 30), bytes([0, 0, value, 63]) * (64 * 30))
    nodes = [models.node('Add', ['x', 'w'], ['s']), models.node(operator, ['s'], ['y'])]
    return models.onnx(nodes, [weight], [models.value('x', (64, 30))], [models.value('y', (64, 30))])


class Scenario:
    """Converts `new` over the result of `old`."""

    def __init__(self, name, suffix, outputs, options=(), environment=None, exists=True):
        self.name, self.suffix, self.outputs, self.options = name, suffix, outputs, options
        self.environment, self.exists = environment or {}, exists

    def write_input(self, folder, which):
        if self.suffix == '.onnx':
            (folder / 'm.onnx').write_bytes(newer('Relu', 64) if which else newer('Tanh', 63))
        else:
            (folder / 'm.pdmodel').write_bytes(legacy('relu' if which else 'tanh'))
            (folder / 'm.pdiparams').write_bytes(models.parameter((64, 30), content=bytes([0, 0, 64 - which, 63]) * (64 * 30)))

    def command(self, binary, source, out):
        return [binary, 'convert', source / ('m' + self.suffix), '-o', out / self.outputs[0], '--quiet', *self.options]


SCENARIOS = [
    Scenario('new', '.pdmodel', ['a.onnx'], exists=False),
    Scenario('over', '.pdmodel', ['a.onnx']),
    Scenario('sync', '.pdmodel', ['a.onnx'], ['--sync']),
    Scenario('portable', '.pdmodel', ['a.onnx'], environment={'FLUID2ONNX_PORTABLE': '1'}),
    Scenario('external', '.pdmodel', ['a.onnx', 'a.onnx.data'], ['--weights', 'external']),
    Scenario('paddle', '.onnx', ['a.pdmodel', 'a.pdiparams']),
    Scenario('paddle portable', '.onnx', ['a.pdmodel', 'a.pdiparams'], environment={'FLUID2ONNX_PORTABLE': '1'}),
]


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def run(command, environment):
    return subprocess.run(list(map(str, command)), env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, timeout=HANG)


class Sweep:
    def __init__(self, binary, shim, everything):
        self.binary, self.shim, self.everything = binary, shim, everything
        self.injected = 0
        self.outcomes = {}
        self.failures = []

    def scenario(self, scenario):
        root = Path(tempfile.mkdtemp(prefix='faults-'))
        try:
            source, expected = root / 'in', {}
            source.mkdir()
            for which in (0, 1):
                out = root / str(which)
                out.mkdir()
                scenario.write_input(source, which)
                done = run(scenario.command(self.binary, source, out), scenario.environment)
                if done.returncode != 0:
                    self.failures.append(f'{scenario.name}: {done.stderr.decode()}')
                    return
                expected[which] = contents(out)
            if expected[0] == expected[1]:
                self.failures.append(f'{scenario.name}: both results are equal')
                return
            for function, actions in FAULTS.items():
                for action in actions:
                    for n in range(1, MOST):
                        if n > 6 and n % 3 and not self.everything:
                            continue
                        if not self.fault(scenario, root, expected, function, action, n):
                            break
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def fault(self, scenario, root, expected, function, action, n):
        """False if there is no n-th call."""
        title = f'{scenario.name}: {function} {n} {action}'
        out, fired = root / 'out', root / 'fired'
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        fired.unlink(missing_ok=True)
        old = expected[0] if scenario.exists else {}
        for name, content in old.items():
            (out / name).write_bytes(content)
        fault = action if action in ('short', 'kill') else str(getattr(errno, action))
        environment = {**scenario.environment, 'LD_PRELOAD': str(self.shim), 'FAULT': f'{function}:{n}:{fault}', 'FAULT_FIRED': str(fired)}
        command = scenario.command(self.binary, root / 'in', out)
        try:
            done = run(command, environment)
        except subprocess.TimeoutExpired:
            self.failures.append(f'{title}: it hangs')
            return True
        if not fired.exists():
            return False
        self.injected += 1
        found = contents(out)
        named = {name: content for name, content in found.items() if not name.startswith('.')}
        problem = self.judge(scenario, done, action, named, old, expected[1])
        left = sorted(set(found) - set(named))
        # Without the numbers of the file, the temporary one could be another process's.
        if not problem and left and action != 'kill' and function not in ('stat', 'fstat'):
            problem = f'left: {left}'
        if not problem:
            again = run(command, scenario.environment)
            if again.returncode != 0:
                problem = f'the next run fails: {again.stderr.decode()[:300]}'
            elif contents(out) != expected[1]:
                problem = f'after the next run: {sorted(contents(out))}'
        if problem:
            self.failures.append(f'{title}: {problem}')
        return True

    def judge(self, scenario, done, action, found, old, new):
        text = done.stderr.decode(errors='replace')
        outcome = 'killed' if action == 'kill' else 'done' if done.returncode == 0 else (re.findall(r'\[(E_\w+)\]', text) or ['no code'])[0]
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        if action == 'kill':
            if done.returncode not in (-signal.SIGKILL, 0):
                return f'exit code {done.returncode}: {text[:200]}'
        elif done.returncode == 0:
            return '' if found == new else f'it succeeded, but the files are {sorted(found)}'
        elif done.returncode < 0 or outcome in ('no code', 'E_INTERNAL', 'E_CHECK'):
            return f'exit code {done.returncode}: {text[:300]}'
        # A model is never beside the weights of another; without a model, its weights do not count.
        model = scenario.outputs[0]
        if model not in found:
            return '' if len(scenario.outputs) > 1 or not old else 'the earlier file is gone'
        return '' if found in (old, new) else f'a third state: {sorted(found)}'


def many_writers(binary, count=16):
    """All write one file."""
    with tempfile.TemporaryDirectory(prefix='faults-') as folder:
        root = Path(folder)
        results = []
        for which in (0, 1):
            (root / str(which)).mkdir()
            SCENARIOS[0].write_input(root / str(which), which)
            run(SCENARIOS[0].command(binary, root / str(which), root / str(which)), {})
            results.append((root / str(which) / 'a.onnx').read_bytes())
        (root / 'out').mkdir()
        for environment in ({}, {'FLUID2ONNX_PORTABLE': '1'}):
            for _ in range(5):
                commands = [list(map(str, SCENARIOS[0].command(binary, root / str(i % 2), root / 'out'))) for i in range(count)]
                writers = [subprocess.Popen(c, env={**os.environ, **environment}, stderr=subprocess.PIPE) for c in commands]
                for writer in writers:
                    _, text = writer.communicate()
                    if writer.returncode != 0:
                        return f'a writer fails: {text.decode()[:300]}'
                found = contents(root / 'out')
                if list(found) != ['a.onnx'] or found['a.onnx'] not in results:
                    return f'left: {sorted(found)}'
    return ''


def resumed(binary, times):
    """A run over many models is killed and resumed until it ends; the results are those of one run."""
    with tempfile.TemporaryDirectory(prefix='faults-') as folder:
        root = Path(folder)
        for i in range(40):
            (root / 'in' / f'm{i}').mkdir(parents=True)
            Scenario('', '.pdmodel', []).write_input(root / 'in' / f'm{i}', i % 2)

        def convert(out, kill_after=None):
            process = subprocess.Popen([binary, 'convert', '-r', root / 'in', '-o', out, '--resume', '--jobs', '2', '--quiet'],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
            if kill_after is not None:
                time.sleep(kill_after)
                os.killpg(process.pid, signal.SIGKILL)
            _, text = process.communicate()
            return process.returncode, text.decode()

        code, text = convert(root / 'whole')
        if code != 0:
            return text

        def results(out):
            # The journal has the order of the conversions and the times of the files, which differ.
            return {str(p.relative_to(out)): p.read_bytes() for p in out.rglob('*') if p.is_file() and p != out / 'convert.jsonl'}

        expected = results(root / 'whole')
        if len(expected) != 40:
            return f'{len(expected)} files of 40 models'
        for i in range(times):
            shutil.rmtree(root / 'out', ignore_errors=True)
            kills = 0
            for kills in range(1, 8):
                convert(root / 'out', 0.01 * kills + 0.003 * (i % 7))
            code, text = convert(root / 'out')
            if code != 0:
                return f'after {kills} kills: {text[:300]}'
            found = results(root / 'out')
            if left := sorted(found.keys() - expected.keys()):
                return f'left: {left}'
            if found != expected:
                return f'after {kills} kills the results differ'
    return ''


def truncated_while_read(binary):
    """The file is shortened after it was mapped: the process stops in its first write, then finds pages without a file."""
    with tempfile.TemporaryDirectory(prefix='faults-') as folder:
        root = Path(folder)
        shape = (1024, 1024)
        (root / 'm.pdmodel').write_bytes(legacy('relu', shape))
        (root / 'm.pdiparams').write_bytes(models.parameter(shape))
        fifo, out = root / 'pipe', root / 'a.onnx'
        os.mkfifo(fifo)
        (root / 'out').mkdir()
        # A pipe without a reader holds the writer back.
        process = subprocess.Popen([binary, 'convert', root / 'm.pdmodel', '-o', fifo, '--quiet'], stderr=subprocess.PIPE)
        reader = os.open(fifo, os.O_RDONLY)
        os.read(reader, 1)
        time.sleep(0.3)
        os.truncate(root / 'm.pdiparams', 1000)
        while os.read(reader, 1 << 20):
            pass
        os.close(reader)
        _, text = process.communicate(timeout=HANG)
        if process.returncode != BAD_FILE or b'[E_IO]' not in text:
            return f'exit code {process.returncode}: {text.decode()[:300]}'
        return f'{out.name} exists' if out.exists() else ''


def cut_after_mapping(binary, shim):
    """Each file alone loses its second half just after it was mapped."""
    with tempfile.TemporaryDirectory(prefix='faults-') as folder:
        root = Path(folder)
        (root / 'out').mkdir()
        for scenario in (SCENARIOS[0], SCENARIOS[5]):
            for options in ([], ['--fp16']) if scenario.suffix == '.pdmodel' else ([],):
                for n in range(1, 10):
                    scenario.write_input(root, 1)
                    fired = root / 'fired'
                    fired.unlink(missing_ok=True)
                    environment = {'LD_PRELOAD': str(shim), 'FAULT': f'mmap:{n}:cut', 'FAULT_FIRED': str(fired)}
                    done = run(scenario.command(binary, root, root / 'out') + options, environment)
                    left = sorted(contents(root / 'out'))
                    for path in (root / 'out').iterdir():
                        path.unlink()
                    if not fired.exists():
                        break
                    text = done.stderr.decode(errors='replace')
                    if done.returncode < 0 or (done.returncode and '[E_' not in text):
                        return f'{scenario.name} {n}: exit code {done.returncode}: {text[:300]}'
                    if done.returncode and left:
                        return f'{scenario.name} {n}: left {left}'
    return ''


def short_of_memory(binary):
    """With less and less address space, the result is whole or there is an error."""
    with tempfile.TemporaryDirectory(prefix='faults-') as folder:
        root = Path(folder)
        (root / 'out').mkdir()
        SCENARIOS[0].write_input(root, 1)
        limited = lambda megabytes: lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        command = list(map(str, SCENARIOS[0].command(binary, root, root / 'out')))
        tried = 0
        for megabytes in range(400, 10, -4):
            start = subprocess.run([binary, 'ops', 'relu'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limited(megabytes))
            if start.returncode != 0:
                break  # the program does not start
            done = subprocess.run(command, capture_output=True, preexec_fn=limited(megabytes))
            tried += 1
            left = sorted(contents(root / 'out'))
            if done.returncode == 0 and left == ['a.onnx']:
                (root / 'out' / 'a.onnx').unlink()
            elif done.returncode != BAD_FILE or b'[E_' not in done.stderr or left:
                return f'{megabytes} MB: exit code {done.returncode}, left {left}: {done.stderr.decode()[:300]}'
        return '' if tried else 'the program does not start'


def build_shim(folder):
    shim = Path(folder) / 'fault.so'
    subprocess.run([os.environ.get('CC', 'cc'), '-shared', '-fPIC', '-O1', '-Wall', '-o', shim, HERE / 'fault.c', '-ldl'], check=True)
    return shim


def other_checks(options, sweep, wanted):
    """How many were run, and what failed."""
    others = {
        'many writers': lambda: many_writers(options.fluid2onnx),
        'resumed': lambda: resumed(options.fluid2onnx, options.resumes),
        'truncated': lambda: truncated_while_read(options.fluid2onnx),
        'cut': lambda: cut_after_mapping(options.fluid2onnx, sweep.shim),
        'memory': lambda: short_of_memory(options.fluid2onnx),
    }
    problems = {name: check() for name, check in others.items() if wanted(name)}
    return len(problems), [f'{name}: {problem}' for name, problem in problems.items() if problem]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--fluid2onnx', default=str(HERE.parents[1] / 'build/release/bin/fluid2onnx'))
    parser.add_argument('--only', action='append', default=[], help='scenarios with this word')
    parser.add_argument('--all', action='store_true', help='every n')
    parser.add_argument('--resumes', type=int, default=2, help='runs over many models that are killed 7 times each')
    options = parser.parse_args()
    wanted = lambda name: not options.only or any(word in name for word in options.only)
    with tempfile.TemporaryDirectory(prefix='faults-') as folder:
        sweep = Sweep(options.fluid2onnx, build_shim(folder), options.all)
        for scenario in SCENARIOS:
            if wanted(scenario.name):
                sweep.scenario(scenario)
        checks, others = other_checks(options, sweep, wanted)
    failures = sweep.failures + others
    for failure in failures:
        print('FAILED', failure)
    counts = ', '.join(f'{count} {outcome}' for outcome, count in sorted(sweep.outcomes.items(), key=lambda item: -item[1]))
    print(f'{sweep.injected} faults: {counts}')
    print(f'faults: {sweep.injected - len(sweep.failures) + checks - len(others)} passed, {len(failures)} failed')
    return len(failures) != 0


if __name__ == '__main__':
    sys.exit(main())
