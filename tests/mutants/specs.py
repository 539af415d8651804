#!/usr/bin/env python3
"""Mutates recipes and counts the mutants that the examples detect.

    specs.py --fluid2onnx build/release/bin/fluid2onnx [--seed 1] [--mutants 1000] [--minutes 60] [--only OP]... [--survivors FILE]

A mutant is the spec of one operator with one change: a dropped statement, swapped operands, another constant or another operator. It is given at
run time (--spec), so nothing is compiled. The operator's examples detect it if one of them is refused, or is converted, other than before; or if
the converted model does not agree with Paddle. The references are those that tests/conformance/run.py keeps. A mutant that is no valid spec does
not count.
"""
import argparse
import os
import random
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/conformance'))
sys.path.insert(0, str(ROOT / 'python'))

from harness import judge  # noqa: E402
from harness.batch import Batch  # noqa: E402
from harness.cases import ask_opgen, load_reference, read_cases  # noqa: E402

from fluid2onnx import executable  # noqa: E402

OPSETS = (9, 13, 17, 20, 23)
RECIPE = re.compile(r'( *)(?:- )?(let|require|nodes|variants|when|if|then|else|for|loop|while|branch|that|lod)\b')
NO_RECIPE = re.compile(r'( *)(examples|doc|inputs|outputs|attrs|params|limits|complex|layout|for_each|signature|why|else: [a-z ])\b')
OPERATORS = [(' + ', ' - '), (' - ', ' + '), (' * ', ' + '), (' // ', ' * '), (' < ', ' <= '), (' <= ', ' < '), (' > ', ' >= '), (' >= ', ' > '),
             (' == ', ' != '), (' != ', ' == '), (' and ', ' or '), (' or ', ' and '), ('not ', '')]


@dataclass
class Mutant:
    kind: str
    line: int
    text: str  # of the whole spec
    before: str
    after: str


def chunks(path):
    """The text of each operator in a file."""
    text = path.read_text()
    found = re.split(r'^(?=- op:)', text, flags=re.M)
    return [part for part in found if re.match(r'-? ?op:', part)]


def recipe_lines(text):
    """Indices of lines that belong to a recipe."""
    inside, depth, lines = False, 0, []
    for index, line in enumerate(text.split('\n')):
        stripped = line.lstrip(' -')
        indent = len(line) - len(line.lstrip(' '))
        if not stripped:
            continue
        leaves = NO_RECIPE.match(line)
        enters = RECIPE.match(line)
        if leaves and (not inside or len(leaves[1]) <= depth):
            inside = False
        elif enters and (not inside or indent <= depth):
            inside, depth = True, indent
        if inside:
            lines.append(index)
    return lines


def without_texts(line):
    """The line with its comment and quoted words blanked, so that positions stay."""
    blank = lambda match: ' ' * len(match[0])
    line = re.sub(r' #.*$', blank, line)
    return re.sub(r"""(?<=[(,= ])"[^"]*"(?=[),])""", blank, line)


def split_arguments(text):
    """(start, end) of the arguments in text, which begins behind '('; empty if it does not end on this line."""
    depth, start, found = 0, 0, []
    for at, char in enumerate(text):
        if char in '([{':
            depth += 1
        elif char in ')]}' and depth > 0:
            depth -= 1
        elif char == ')':
            return found + [(start, at)]
        elif char == ',' and depth == 0:
            found.append((start, at))
            start = at + 1
    return []


def mutants(text):
    lines = text.split('\n')
    made = []

    def add(kind, index, line):
        changed = lines[:index] + ([] if line is None else [line]) + lines[index + 1:]
        made.append(Mutant(kind, index + 1, '\n'.join(changed), lines[index].strip(), (line or '').strip()))

    for index in recipe_lines(text):
        line, plain = lines[index], without_texts(lines[index])
        if re.match(r' *(- )?else: ("\'|"?[\w\']+ [\w\']+ )', line):  # the message of a requirement
            continue
        if re.match(r' *- \w+(, \w+)* = .*[^,\[(]$', line):
            add('drop', index, None)
        head = re.match(r' *(?:- )?(?:\w+: )?', plain).end()
        for match in re.finditer(r'(?<![\w.])\d+(?![\w.])', plain):
            if match.start() >= head and not re.search(r'opset: *"?$|@$', plain[:match.start()]):
                add('constant', index, line[:match.start()] + str(int(match[0]) + 1) + line[match.end():])
        for old, new in OPERATORS:
            for match in re.finditer(re.escape(old), plain):
                if match.start() >= head - 1:
                    add('operator', index, line[:match.start()] + new + line[match.end():])
        for match in re.finditer(r'\b[A-Za-z_]\w*\(', plain):
            parts = split_arguments(plain[match.end():])
            if len(parts) < 2:
                continue
            (a, b), (c, d) = ((start + match.end(), end + match.end()) for start, end in parts[:2])
            first, second = line[a:b].strip(), line[c:d].strip()
            if first != second and '=' not in first + second:
                add('swap', index, f'{line[:a]}{second}, {first}{line[d:]}')
    return made


class Operator:
    """The examples of one spec, and how it converts them."""

    def __init__(self, options, text, cases, folder):
        self.command = [options.fluid2onnx, 'batch']
        self.folder = folder
        self.batch = Batch(self.command)
        self.examples = []
        for case in cases:
            key = case.key('3.3.1' if case.of_paddle_3 else '2.6.2')
            reference = load_reference(options.cache / key[:2] / key)
            if reference is not None:
                self.examples.append((case, reference))
        self.base = {}
        self.valid = bool(self.examples) and self.run(text, 'base', self.note) == ''

    def note(self, where, reply, path, case, reference, opset):
        if reply.code == 'E_USAGE':
            return reply.message
        self.base[where] = (reply.ok, reply.code, path.read_bytes() if reply.ok else b'')
        return ''

    def run(self, text, name, judge_one):
        """The first problem of an example; '' without one."""
        spec = self.folder / f'{name}.yaml'
        spec.write_text(text)
        out = self.folder / 'model.onnx'
        for number, (case, reference) in enumerate(self.examples):
            for opset in OPSETS:
                if opset not in case.opsets:
                    continue
                judge.remove(str(out))
                lod = {'lod': 'lengths'} if any(reference.output_lod) else {}
                reply = self.batch.convert(reference.model, reference.params, str(out), opset, specs=[str(spec)], **lod)
                problem = judge_one((number, opset), reply, out, case, reference, opset)
                if problem:
                    return problem
        return ''

    def verdict(self, mutant, number):
        """killed, alive, unreached or invalid."""
        changed = False

        def compare(where, reply, path, case, reference, opset):
            nonlocal changed
            if reply.code == 'E_USAGE':
                return 'invalid'
            ok, code, content = self.base[where]
            if (reply.ok, reply.code) != (ok, code):
                return 'killed'
            if not ok or path.read_bytes() == content:
                return ''
            changed = True
            expected = judge.Expected(reference.inputs, reference.outputs, reference.names, case.tolerance, reference.lod, reference.output_lod,
                                      random=bool(case.data.get('random')))
            return '' if judge.judge(str(path), opset, expected).ok else 'killed'

        return self.run(mutant.text, f'mutant{number}', compare) or ('alive' if changed else 'unreached')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--fluid2onnx', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--mutants', type=int, default=1000)
    parser.add_argument('--minutes', type=float, default=1e9)
    parser.add_argument('--per-operator', type=int, default=3, help='mutants of one operator at most')
    parser.add_argument('--only', action='append', default=[], help='an operator')
    parser.add_argument('--survivors', help='lists the mutants that no example detects')
    parser.add_argument('--cache', type=Path, default=Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache') / 'fluid2onnx/references')
    options = parser.parse_args()
    executable.use(options.fluid2onnx)
    by_spec = {}
    for case in read_cases(ask_opgen(str(Path(options.fluid2onnx).with_name('opgen')), ROOT)):
        by_spec.setdefault(case.op, []).append(case)
    draw = random.Random(options.seed)
    operators = []
    for path in sorted((ROOT / 'opspecs').glob('*/*.yaml')):
        if path.parent.name not in ('facts', 'lib', 'onnx'):
            operators += [(path, text) for text in chunks(path)]
    draw.shuffle(operators)
    end = time.monotonic() + options.minutes * 60
    counts, kinds, survivors, number = {}, {}, [], 0
    for path, text in operators:
        name = re.match(r'-? ?op: *"?([\w.]+)', text)
        cases = by_spec.get(name[1]) if name else None
        made = mutants(text)
        if not cases or not made or (options.only and name[1] not in options.only):
            continue
        with tempfile.TemporaryDirectory(prefix='mutants-') as folder:
            operator = Operator(options, text, cases, Path(folder))
            if not operator.valid:
                continue
            for mutant in draw.sample(made, min(len(made), options.per_operator)):
                if number >= options.mutants or time.monotonic() > end:
                    break
                number += 1
                verdict = operator.verdict(mutant, number)
                counts[verdict] = counts.get(verdict, 0) + 1
                kind = kinds.setdefault(mutant.kind, {})
                kind[verdict] = kind.get(verdict, 0) + 1
                if verdict in ('alive', 'unreached'):
                    survivors.append(f'{path.relative_to(ROOT)}: {name[1]}: {verdict}, {mutant.kind}\n  - {mutant.before}\n  + {mutant.after}')
        print(f'{number} mutants: {counts}', file=sys.stderr, flush=True)
        if number >= options.mutants or time.monotonic() > end:
            break
    if options.survivors:
        Path(options.survivors).write_text('\n'.join(survivors) + '\n')
    for kind, verdicts in sorted(kinds.items()):
        print(kind, verdicts)
    valid = sum(count for verdict, count in counts.items() if verdict != 'invalid')
    killed = counts.get('killed', 0)
    print(f'mutants: {valid} valid of {number}, {killed} killed ({100 * killed / max(valid, 1):.1f} %), {counts.get("alive", 0)} alive with other '
          f'nodes, {counts.get("unreached", 0)} unreached')
    return valid == 0


if __name__ == '__main__':
    sys.exit(main())
