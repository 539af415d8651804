#!/usr/bin/env python3
"""Mutates recipes and counts the mutants that the examples detect.

    specs.py --fluid2onnx build/release/bin/fluid2onnx [--library | --onnx] [--seed 1] [--mutants 1000] [--minutes 60] [--part 1/2] [--only OP]...
             [--survivors FILE]

A mutant is a file of specs with one change: a dropped statement, swapped operands, another constant or another operator. It is given at run time
(--spec), so nothing is compiled. The examples detect it if one of them is refused, or is converted, other than before; or if the converted model
does not agree with Paddle. These are the examples of the changed operator; of a function, those of its whole file. With --library, functions of
opspecs/lib are changed; their examples are those of operators that call them: first a few, and for survivors all. With --onnx, specs of ONNX's
operators are changed; Paddle runs what their examples become. A survivor of some opsets is tried
at all. The references are those that tests/conformance/run.py keeps. A mutant that is no valid spec does not count. Swapped operands of commutative
operators and larger bounds than any dimension are not tried: they change nothing. A mutant that takes the recipe of older opsets at the first opset
of the newer one is equivalent if no example detects it at any opset. So are the survivors that equivalent.txt lists. Examples that take longer than
2 seconds to convert are left out. A mutant whose model runs for a minute is detected.
"""
import argparse
import contextlib
import multiprocessing
import os
import random
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name('equivalent.txt')
sys.path.insert(0, str(ROOT / 'tests/conformance'))
sys.path.insert(0, str(ROOT / 'python'))

from harness import judge  # noqa: E402
from harness.batch import Batch  # noqa: E402
from harness.cases import ask_opgen, load_reference, read_cases  # noqa: E402

from onnx_examples import OnnxExamples  # noqa: E402

from fluid2onnx import executable  # noqa: E402

FIRST_OPSETS = (9, 13, 17, 20, 23)
RECIPE = re.compile(r'( *)(?:- )?(let|require|nodes|variants|when|if|then|else|for|loop|while|branch|that|lod)\b')
NO_RECIPE = re.compile(r'( *)(examples|doc|inputs|outputs|attrs|params|limits|complex|layout|for_each|signature|why)\b')
MESSAGE = re.compile(r'( *(?:- )?)(?:else: [^\[]|doc: )')
OPERATORS = [(' + ', ' - '), (' - ', ' + '), (' * ', ' + '), (' // ', ' * '), (' < ', ' <= '), (' <= ', ' < '), (' > ', ' >= '), (' >= ', ' > '),
             (' == ', ' != '), (' != ', ' == '), (' and ', ' or '), (' or ', ' and '), ('not ', '')]
COMMUTATIVE = {'Add', 'Mul', 'And', 'Or', 'Xor', 'Equal', 'Max', 'Min', 'Sum', 'Mean', 'BitwiseAnd', 'BitwiseOr', 'BitwiseXor', 'max', 'min',
               'all_equal', 'complex_mul', 'equal', 'float_maximum', 'float_minimum', 'may_be_equal', 'maximum', 'minimum'}
SLOW = 2  # seconds of a conversion; such an example is left out
LONGEST = 60  # seconds to check and run a model
FEW, MANY = 8, 30  # operators that call a function of the library
LARGEST = 2**31 - 2  # larger constants are bounds of slices


@dataclass
class Mutant:
    kind: str
    line: int
    text: str  # of the whole file
    before: str
    after: str
    same_if_right: bool = False  # a recipe of older opsets at a newer one: equivalent if its results are right at all opsets


@dataclass
class Unit:
    """An operator, a template or a function in a file."""
    path: Path
    name: str
    text: str  # of the whole file
    lines: range
    cases: list
    functions: str = ''  # of other files

    def own_text(self):
        return '\n'.join(self.text.split('\n')[self.lines.start:self.lines.stop]).rstrip() + '\n'

    def function(self):
        """The name of the function; '' for an operator."""
        match = re.match(r'function: "?(\w+)', self.name)
        return match[1] if match else ''

    def first_name(self):
        """The name of the function or operator; the first operator's of a template."""
        return re.search(r':\W*([\w.]+)', self.own_text())[1]

    def other_specs(self, folder):
        """A new file of the functions of other files, if there are any."""
        if not self.functions:
            return []
        with tempfile.NamedTemporaryFile('w', dir=folder, suffix='.yaml', delete=False) as file:
            file.write(self.functions)
        return [file.name]

    def examples(self, options, folder, batch, judge_of_models):
        if options.onnx:
            return OnnxExamples(self, folder, batch)
        return Examples(options, self, folder, batch, judge_of_models)

    def key(self, mutant):
        return self.first_name(), mutant.before, mutant.after


def units_of(path, cases):
    text = path.read_text()
    starts = [index for index, line in enumerate(text.split('\n')) if re.match(r'(- )?(op|function|for_each):', line)]
    for start, end in zip(starts, [*starts[1:], text.count('\n') + 1]):
        head = text.split('\n')[start].lstrip('- ')
        own = [case for case in cases if start < case.data['line'] <= end]
        name = re.match(r'op: *"?([\w.]+)', head)
        yield Unit(path, name[1] if name else head, text, range(start, end), cases if head.startswith('function') else own)


def functions_for(text, functions):
    """The text of the functions in `functions`, by name, that a file needs from other files."""
    needed, words = {}, set(re.findall(r'\w+', text))
    while True:
        more = {name: body for name, body in functions.items() if name in words and name not in needed}
        if not more:
            return ''.join(body for name, body in needed.items() if body not in text)
        needed.update(more)
        words.update(word for body in more.values() for word in re.findall(r'\w+', body))


def recipe_lines(unit):
    """Indices of lines that belong to a recipe."""
    inside, depth, lines, message = False, 0, [], None
    for index, line in list(enumerate(unit.text.split('\n')))[unit.lines.start:unit.lines.stop]:
        stripped = line.lstrip(' -')
        indent = len(line) - len(line.lstrip(' '))
        if not stripped or (message is not None and indent > message):
            continue  # the rest of a message
        starts_message = MESSAGE.match(line)
        message = len(starts_message[1]) if starts_message else None
        if starts_message:
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


def mutants(unit):
    lines = unit.text.split('\n')
    made = []

    def add(kind, index, line, same_if_right=False):
        changed = lines[:index] + ([] if line is None else [line]) + lines[index + 1:]
        made.append(Mutant(kind, index + 1, '\n'.join(changed), lines[index].strip(), (line or '').strip(), same_if_right))

    for index in recipe_lines(unit):
        line, plain = lines[index], without_texts(lines[index])
        if re.match(r' *- \w+(, \w+)* = .*[^,\[(]$', line):
            add('drop', index, None)
        head = re.match(r' *(?:- )?(?:\w+: )?', plain).end()
        for match in re.finditer(r'(?<![\w.])\d+(?![\w.])', plain):
            if match.start() >= head and int(match[0]) < LARGEST and not re.search(r'opset: *"?$|@$|\de[+-]$', plain[:match.start()]):
                add('constant', index, line[:match.start()] + str(int(match[0]) + 1) + line[match.end():])
        for old, new in OPERATORS:
            for match in re.finditer(re.escape(old), plain):
                if match.start() >= head - 1:
                    older = old == ' >= ' and re.search(r'\bopset$', plain[:match.start()]) is not None
                    add('operator', index, line[:match.start()] + new + line[match.end():], older)
        for match in re.finditer(r'\b([A-Za-z_]\w*)\(', plain):
            parts = split_arguments(plain[match.end():])
            if len(parts) < 2 or match[1] in COMMUTATIVE:
                continue
            (a, b), (c, d) = ((start + match.end(), end + match.end()) for start, end in parts[:2])
            first, second = line[a:b].strip(), line[c:d].strip()
            if first != second and '=' not in first + second:
                add('swap', index, f'{line[:a]}{second}, {first}{line[d:]}')
    return made


def read_equivalent(units):
    """(name, statement, mutated statement) of the entries of equivalent.txt. Stops if no unit has such a mutant."""
    entries, name, statement = set(), '', ''
    for line in EQUIVALENT.read_text().splitlines():
        if line.startswith('  -'):
            statement = line[4:]
        elif line.startswith('  +'):
            entries.add((name, statement, line[4:]))
        elif line and not line.startswith('#'):
            name, _ = line.split(': ', 1)
    names = {name for name, _, _ in entries}
    possible = {unit.key(mutant) for unit in units if unit.first_name() in names for mutant in mutants(unit)}
    if entries - possible:
        sys.exit('\n'.join(f'{EQUIVALENT.name}: {name} has no such mutant; remove it:\n  - {before}\n  + {after}'
                           for name, before, after in sorted(entries - possible)))
    return entries


def judge_each(connection):
    while True:
        path, opset, expected = connection.recv()
        connection.send(judge.judge(path, opset, expected).ok)


class Judge:
    """Runs models in another process, because a mutant's loop may not end."""

    def __init__(self):
        self.worker = None

    def agrees(self, path, opset, expected):
        if self.worker is None:
            self.connection, other = multiprocessing.Pipe()
            self.worker = multiprocessing.Process(target=judge_each, args=(other,), daemon=True)
            self.worker.start()
            other.close()
        self.connection.send((path, opset, expected))
        try:
            if self.connection.poll(LONGEST):
                return self.connection.recv()
        except EOFError:
            pass  # the model ended the process
        self.close()
        return False

    def close(self):
        if self.worker is not None:
            self.worker.kill()
            self.worker.join()
            self.connection.close()
            self.worker = None


class Examples:
    """The examples of a unit, and how they are converted without a change."""

    def __init__(self, options, unit, folder, batch, judge_of_models):
        self.folder = folder
        self.judge = judge_of_models
        self.text = unit.text
        self.specs = unit.other_specs(folder)
        self.batch = batch
        self.references = []
        for case in unit.cases:
            key = case.key('3.3.1' if case.of_paddle_3 else '2.6.2')
            reference = load_reference(options.cache / key[:2] / key)
            if reference is not None:
                self.references.append((case, reference))
        self.base = {}
        self.why = ''
        self.leave_out_slow()
        self.valid = bool(self.references) and self.know(FIRST_OPSETS)

    def know(self, opsets):
        """Converts with the unchanged file; false if it is not valid alone."""
        missing = [opset for opset in opsets if opset not in self.base]
        self.base.update({opset: {} for opset in missing})
        self.why = self.run(self.text, 'base', missing, self.note)
        return self.why == ''

    def note(self, number, opset, reply, path):
        if reply.code == 'E_USAGE':
            return reply.message
        self.base[opset][number] = (reply.ok, reply.code, path.read_bytes() if reply.ok else b'')
        return ''

    def leave_out_slow(self):
        """Interpreted recipes of large examples, such as transforms of 1000 points, take minutes."""
        fast = []
        for pair in self.references:
            begin = time.monotonic()
            self.references = [pair]
            self.base = {}
            if not self.know(FIRST_OPSETS[2:3]):
                return
            if time.monotonic() - begin < SLOW:
                fast.append(pair)
        self.references, self.base = fast, {}

    def run(self, text, name, opsets, judge_one):
        """The first problem of an example; '' without one."""
        spec = self.folder / f'{name}.yaml'
        spec.write_text(text)
        out = self.folder / 'model.onnx'
        for opset in opsets:
            for number, (case, reference) in enumerate(self.references):
                if opset not in case.opsets:
                    continue
                judge.remove(str(out))
                reply = self.batch.convert(reference.model, reference.params, str(out), opset, specs=[str(spec), *self.specs],
                                           **reference.request)
                problem = judge_one(number, opset, reply, out)
                if problem:
                    return problem
        return ''

    def verdict(self, mutant, number):
        """killed, alive, equivalent, unreached or invalid."""
        judged = {}

        def compare(example, opset, reply, path):
            if reply.code == 'E_USAGE':
                return 'invalid'
            ok, code, content = self.base[opset][example]
            if (reply.ok, reply.code) != (ok, code):
                return 'killed'
            if not ok or path.read_bytes() == content:
                return ''
            case, reference = self.references[example]
            kept = (example, path.read_bytes())
            if kept not in judged:
                expected = judge.Expected(reference.inputs, reference.outputs, reference.names, case.tolerance, reference.lod,
                                          reference.output_lod, random=bool(case.data.get('random')))
                judged[kept] = self.judge.agrees(str(path), opset, expected)
            return '' if judged[kept] else 'killed'

        for opsets in (FIRST_OPSETS, [opset for opset in executable.opsets() if opset not in FIRST_OPSETS]):
            self.know(opsets)
            found = self.run(mutant.text, f'mutant{number}', opsets, compare)
            if found:
                return found
        if not judged:
            return 'unreached'
        return 'equivalent' if mutant.same_if_right else 'alive'


def as_list_item(text):
    """The spec of a file that has only one operator, as an item of a list."""
    return text if text.startswith('- ') else '- ' + text.rstrip().replace('\n', '\n  ') + '\n'


def with_callers(unit, operators, functions, library, draw):
    """The function of the library with the specs and examples of operators that reach it: of a few, and of others."""
    every = {**library, **functions}
    reach, more = set(), {unit.function()}
    while more:
        reach |= more
        more = {name for name, body in every.items() if name not in reach and reach & set(re.findall(r'\w+', body))}
    callers = [operator for operator in operators if operator.cases and reach & set(re.findall(r'\w+', operator.own_text()))]
    draw.shuffle(callers)
    callers.sort(key=lambda operator: unit.function() not in operator.own_text())
    given = {name: body for name, body in every.items() if body not in unit.text and (name in functions or name in reach)}
    for start, end in [(0, FEW), *((n, n + MANY) for n in range(FEW, len(callers), MANY))]:
        text = ''.join(as_list_item(operator.own_text()) for operator in callers[start:end])
        cases = [case for operator in callers[start:end] for case in operator.cases]
        yield Unit(unit.path, unit.name, unit.text, unit.lines, cases, text + functions_for(text, given))


def read_units(options):
    """The operators and templates, with functions of their files; the functions of opspecs/lib; and those of other files."""
    by_spec = {}
    text = ask_opgen(str(Path(options.fluid2onnx).with_name('opgen')), ROOT)
    for case in read_cases(text, onnx=options.onnx):
        by_spec.setdefault(case.data['spec'], []).append(case)
    operators, library, others = [], [], []
    for path in sorted((ROOT / 'opspecs').glob('*/*.yaml')):
        if path.parent.name == 'lib' and path.name != 'replacements.yaml':
            library += units_of(path, [])
        elif path.parent.name in ('facts', 'lib', 'targets'):
            continue
        elif (path.parent.name == 'onnx') == options.onnx:
            operators += units_of(path, by_spec.get(str(path.relative_to(ROOT)), []))
        else:
            others += [unit for unit in units_of(path, []) if unit.function()]
    return operators, library, others


def draw_mutants(options, operators, library, others, draw):
    """(units with the same text and different examples, their mutants) in random order."""
    functions = {unit.function(): unit.own_text() for unit in operators + others if unit.function()}
    of_library = {unit.function(): unit.own_text() for unit in library}
    callers = [unit for unit in operators if not unit.function()]
    units = library if options.library else operators
    draw.shuffle(units)
    part, parts = options.part
    units = units[part - 1::parts]
    print(f'{sum(len(mutants(unit)) for unit in units)} mutants of {len(units)} operators, templates and functions', file=sys.stderr)
    for unit in units:
        made = mutants(unit)
        if not made or (options.only and unit.name not in options.only and unit.function() not in options.only):
            continue
        if options.library:
            same = list(with_callers(unit, callers, functions, of_library, draw))
        else:
            unit.functions = functions_for(unit.text, functions)
            same = [unit]
        yield same, draw.sample(made, min(len(made), options.per_unit))


def verdict_of_all(verdicts):
    """Of the same mutant with different examples."""
    found = set()
    for verdict in verdicts:
        if verdict in ('killed', 'invalid'):
            return verdict
        found.add(verdict)
    return next(verdict for verdict in ('alive', 'equivalent', 'unreached') if verdict in found)


def part_of(text):
    """(K, N) of the text 'K/N'."""
    part, parts = map(int, text.split('/'))
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--fluid2onnx', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--mutants', type=int, default=1000)
    parser.add_argument('--minutes', type=float, default=1e9)
    parser.add_argument('--per-unit', type=int, default=3, help='mutants of one operator, template or function at most')
    parser.add_argument('--part', type=part_of, default=(1, 1), metavar='K/N', help='only part K of N, to run the parts at the same time')
    parser.add_argument('--only', action='append', default=[], help='an operator, or a function')
    parser.add_argument('--onnx', action='store_true', help="change specs of ONNX's operators")
    parser.add_argument('--library', action='store_true', help='change functions of opspecs/lib')
    parser.add_argument('--survivors', help='lists the mutants that no example detects')
    parser.add_argument('--cache', type=Path, default=Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache') / 'fluid2onnx/references')
    options = parser.parse_args()
    executable.use(options.fluid2onnx)
    end = time.monotonic() + options.minutes * 60
    counts, kinds, number = {}, {}, 0
    survivors = open(options.survivors or os.devnull, 'w')
    operators, library, others = read_units(options)
    equivalent = set() if options.onnx else read_equivalent(operators + library)
    for units, made in draw_mutants(options, operators, library, others, random.Random(options.seed)):
        unit = units[0]
        if number >= options.mutants or time.monotonic() > end:
            break
        with tempfile.TemporaryDirectory(prefix='mutants-') as folder:
            with contextlib.closing(Batch([options.fluid2onnx, 'batch'])) as batch, contextlib.closing(Judge()) as judge_of_models:
                known = {}

                def examples(index):
                    if index not in known:
                        known[index] = units[index].examples(options, Path(folder), batch, judge_of_models)
                    return known[index]

                if not any(examples(index).valid for index in range(len(units))):
                    print(f'{unit.name}: no examples in the cache, or the file is not valid alone: {examples(0).why}', file=sys.stderr)
                    continue
                for mutant in made:
                    number += 1
                    verdict = verdict_of_all((examples(index).verdict(mutant, number) for index in range(len(units)) if examples(index).valid))
                    if unit.key(mutant) in equivalent:
                        if verdict in ('killed', 'invalid'):
                            print(f'{EQUIVALENT.name}: {unit.first_name()} has a mutant that is {verdict}; remove it:\n'
                                  f'  - {mutant.before}\n  + {mutant.after}', file=sys.stderr)
                        else:
                            verdict = 'equivalent'
                    counts[verdict] = counts.get(verdict, 0) + 1
                    kind = kinds.setdefault(mutant.kind, {})
                    kind[verdict] = kind.get(verdict, 0) + 1
                    if verdict in ('alive', 'unreached'):
                        place = f'{unit.path.relative_to(ROOT)}:{mutant.line}: {unit.name}'
                        print(f'{place}: {verdict}, {mutant.kind}\n  - {mutant.before}\n  + {mutant.after}', file=survivors, flush=True)
        print(f'{number} mutants: {counts}', file=sys.stderr, flush=True)
    for kind, verdicts in sorted(kinds.items()):
        print(kind, verdicts)
    valid = sum(count for verdict, count in counts.items() if verdict not in ('invalid', 'equivalent'))
    killed = counts.get('killed', 0)
    print(f'mutants: {valid} valid of {number}, {killed} killed ({100 * killed / max(valid, 1):.1f} %), {counts.get("alive", 0)} alive with other '
          f'nodes, {counts.get("unreached", 0)} unreached; {counts.get("equivalent", 0)} equivalent are not counted')
    return valid == 0


if __name__ == '__main__':
    sys.exit(main())
