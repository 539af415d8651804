#!/usr/bin/env python3
"""Paths that leave their folder, special files, and files made to be slow or large.

    run.py [--fluid2onnx BINARY] [--only WORD]... [--table] [paths] [limits] [scaling]

Each line of paths.txt must end with its code, in time, and change nothing outside of the output's folder. Each file of adversarial.py must be
converted or refused in 2 seconds of processor time on the machine that this was written on, within 4 times the file and 64 MB of memory. Files of
4 times the operators must not take much more than 4 times the processor time.
"""
import argparse
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import adversarial  # noqa: E402
import models  # noqa: E402

HANG = 10  # seconds
NOBODY = 65534
DONE = 'done'


# Paths.

def read_table():
    rows = []
    for number, line in enumerate((HERE / 'paths.txt').read_text().splitlines(), 1):
        if line and not line.startswith('#'):
            rows.append((number, *[cell.strip() for cell in line.split(' | ')]))
    return rows


def spelt(text, root, escapes=True):
    text = text.replace('{root}', str(root)).replace('{empty}', '')
    text = re.sub(r'\{long:(\d+)\}', lambda m: 'n' * int(m[1]), text)
    return text.replace('\\\\', '\\').replace('\\0', '\0') if escapes else text


def place(path, what, content, root):
    """Makes what a line of the table specifies."""
    if what == '-':
        return
    kind, _, more = what.partition(':')
    if kind == 'folder' and more:
        (root / 'in' / more).mkdir()
        return
    if kind == 'link':
        at, _, target = more.rpartition('=')
        target = spelt(target, root)
        if at and target == 'file':  # another file of the folder
            (path.parent / at).write_bytes(content)
            path.symlink_to(at)
        elif at:  # a folder on the way is a link
            (root / 'in' / at).symlink_to(target)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(target)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind in ('file', 'empty', 'unreadable'):
        path.write_bytes(content if kind == 'file' else b'')
        if kind == 'unreadable':
            path.chmod(0)
    elif kind == 'folder':
        path.mkdir()
    elif kind == 'fifo':
        os.mkfifo(path)
    elif kind == 'socket':
        here = os.getcwd()
        os.chdir(path.parent)  # the name of a socket is short
        socket.socket(socket.AF_UNIX).bind(path.name)
        os.chdir(here)
    else:
        raise ValueError(what)


def prepare(role, cell, what, root):
    """The arguments of fluid2onnx."""
    inside, out = root / 'in', root / 'out'
    raw = bytes(24) if role == 'data' else models.parameter()
    (root / 'outside' / 'w').write_bytes(raw)
    path = spelt(cell, root, escapes=role != 'request')
    relu = models.program(models.op('relu', {'X': ['x']}, {'Out': ['y']}), models.variable('y'))
    folder = out if role in ('output', 'external', 'weights', 'json', 'journal') else inside
    if what != '-':
        place(folder / path, what, raw, root)
    result = ['-o', out / 'a.onnx']
    if role == 'parameter':
        (inside / '__model__').write_bytes(models.with_parameter(path))
        return ['convert', inside / '__model__', *result]
    if role == 'data':
        (inside / 'm.onnx').write_bytes(models.with_data(path))
        return ['convert', inside / 'm.onnx', '-o', out / 'a.pdmodel']
    at = path if os.path.isabs(path) or not path else inside / path
    if role == 'model':
        return ['convert', at, *result]
    if role == 'params':
        (inside / 'm.pdmodel').write_bytes(models.with_parameter('w'))
        return ['convert', inside / 'm.pdmodel', '--params', at, *result]
    (inside / 'm.pdmodel').write_bytes(relu)
    if role == 'spec':
        return ['convert', inside / 'm.pdmodel', '--spec', at, *result]
    if role == 'list':
        return ['convert', '--list', at, '-o', out]
    if role == 'request':
        (inside / 'l.txt').write_text(path.replace('"m', f'"{inside}/m') + '\n')
        return ['convert', '--list', inside / 'l.txt', '-o', out]
    if role in ('journal', 'tree'):
        return ['convert', '-r', inside, '-o', out, '--resume']
    if role == 'json':
        return ['convert', inside / 'm.pdmodel', *result, '--json=' + str(out / path)]
    if role == 'external':
        (inside / 'm.pdmodel').write_bytes(models.with_parameter('w', (64, 30)))  # small tensors are not stored outside
        (inside / 'm.pdiparams').write_bytes(models.parameter((64, 30)))
        return ['convert', inside / 'm.pdmodel', *result, '--weights', 'external']
    if role == 'weights':
        (inside / 'm.onnx').write_bytes(models.onnx([models.node('Add', ['x', 'w'], ['y'])], [models.tensor('w', (2, 3), bytes(24))]))
        return ['convert', inside / 'm.onnx', '-o', out / 'a.pdmodel']
    assert role == 'output', role
    return ['convert', inside / 'm.pdmodel', '-o', os.path.join(out, path)]


def state(root):
    """Everything outside of the folder of the output."""
    found = {}
    for base in ('in', 'outside'):
        for folder, names, files in os.walk(root / base):
            for name in [*names, *files]:
                path = os.path.join(folder, name)
                info = os.lstat(path)
                content = Path(path).read_bytes() if stat.S_ISREG(info.st_mode) and os.access(path, os.R_OK) else None
                found[path] = (info.st_mode, content)
    return found


def check_path(binary, row):
    """What is wrong; '' if nothing is."""
    number, role, cell, what, expected = row
    root = Path(tempfile.mkdtemp(prefix='paths-'))
    try:
        for name in ('in', 'out', 'outside'):
            (root / name).mkdir()
        args = [str(a) for a in prepare(role, cell, what, root)]
        before = state(root)
        options = {}
        if 'unreadable' in what and os.geteuid() == 0:
            root.chmod(0o755)
            (root / 'out').chmod(0o777)
            options = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
        try:
            run = subprocess.run([binary, *args], cwd=root / 'in', stdin=subprocess.DEVNULL, capture_output=True, timeout=HANG, **options)
        except subprocess.TimeoutExpired:
            return 'it hangs'
        text = run.stderr.decode(errors='replace')
        codes = re.findall(r'\[(E_\w+)\]', text)
        got = DONE if run.returncode == 0 else codes[0] if codes else 'no code: ' + text[:200]
        if run.returncode < 0:
            return f'signal {-run.returncode}'
        if got != expected:
            return f'{got}, expected {expected}: {text[:300]}'
        if state(root) != before:
            return 'files outside of the output have changed'
        left = [p.name for p in (root / 'out').iterdir() if p.name.startswith('.')]
        return f'left: {left}' if left else ''
    finally:
        for folder, names, _ in os.walk(root):
            for name in names:
                if not os.path.islink(os.path.join(folder, name)):
                    os.chmod(os.path.join(folder, name), 0o700)
        shutil.rmtree(root, ignore_errors=True)


# Limits.

SECONDS = 2.0
MEGABYTE = 1 << 20
FREE = 64 * MEGABYTE
TIMES = 4
REFERENCE = 0.105  # processor seconds of the loop below on the machine that SECONDS is for


def machine_factor():
    """How much slower this machine is."""
    best = 99.0
    for _ in range(3):
        start = time.process_time()
        total = 0
        for i in range(1_000_000):
            total += i * i & 7
        best = min(best, time.process_time() - start)
    return max(1.0, best / REFERENCE)


def measure(binary, args, seconds, space):
    """(exit code or minus the signal, processor seconds, peak memory in bytes, stderr)"""
    read, write = os.pipe()
    command = [sys.executable, '-I', '-S', str(HERE / 'measured.py'), str(write), str(seconds), str(space), binary, *map(str, args)]
    with tempfile.TemporaryFile() as errors:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as answer:
            code, used, memory = json.loads(answer.read())
        errors.seek(0)
        return code, used, memory, errors.read().decode(errors='replace')


def check_limit(binary, name, make, factor, table):
    folder = Path(tempfile.mkdtemp(prefix='limits-'))
    try:
        args = make(folder)
        size = sum(p.stat().st_size for p in folder.iterdir())
        allowed = TIMES * size + FREE + adversarial.MORE_MEMORY.get(name, 0) * MEGABYTE
        # What is mapped counts as address space, too: the file, the program, its libraries, and what the allocator keeps for later.
        run = lambda: measure(binary, args, int(SECONDS * factor * 5) + 1, allowed + 2 * FREE)  # noqa: E731
        code, used, memory, text = run()
        codes = re.findall(r'\[(E_\w+)\]', text)
        outcome = DONE if code == 0 else codes[0] if codes else f'exit code {code}'
        if table:
            print(f'{name:36} {size / 1e6:7.2f} MB {outcome:18} {used:6.2f} s {memory / 1e6:6.0f} MB')
        if code < 0:
            return f'signal {-code} after {used:.2f} s, with {memory / 1e6:.0f} MB'
        if code > 3 or (code > 0 and not codes) or outcome in ('E_INTERNAL', 'E_CHECK', 'E_MEMORY'):
            return f'{outcome}: {text[:300]}'
        if outcome != adversarial.REFUSED.get(name, outcome):
            return f'{outcome}, expected {adversarial.REFUSED[name]}'
        for _ in range(2):  # other programs make this one slower
            if used > SECONDS * factor:
                used = min(used, run()[1])
        if used > SECONDS * factor:
            return f'{used:.2f} s, allowed are {SECONDS * factor:.2f} s'
        if memory > allowed:
            return f'{memory / 1e6:.0f} MB, allowed are {allowed / 1e6:.0f} MB'
        if len(text) > MEGABYTE:
            return f'messages of {len(text)} bytes'
        return ''
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# Scaling.

FEW = 15_000  # operators, operands or names; 4 times as many are below the limit of operands
GROWTH = 4
MOST_GROWTH = 10  # of the time: quadratic time would grow 16 times
LEAST_SCALED = 25  # cases whose files depend on MANY
LEAST = 0.05  # seconds; shorter times are mostly the start of the process


def check_scaling(binary, make, table):
    """The problem, or ''. None if the size of the file does not depend on MANY."""
    many, sizes, runs = adversarial.MANY, [], []
    folder = Path(tempfile.mkdtemp(prefix='scaling-'))
    try:
        for count in (FEW, GROWTH * FEW):
            adversarial.MANY = count
            part = folder / str(count)
            part.mkdir()
            args = make(part)
            sizes.append(sum(p.stat().st_size for p in part.iterdir()))
            runs.append(lambda args=args: measure(binary, args, 60, 0))
        if sizes[1] < GROWTH / 2 * sizes[0]:
            return None
        (code, short, _, _), (larger_code, long, _, larger_text) = runs[0](), runs[1]()
        if long > MOST_GROWTH * max(short, LEAST):  # other programs make this one slower
            short, long = min(short, runs[0]()[1]), min(long, runs[1]()[1])
    finally:
        adversarial.MANY = many
        shutil.rmtree(folder, ignore_errors=True)
    if table:
        print(f'{sizes[0] / 1e6:7.2f} to {sizes[1] / 1e6:6.2f} MB {short:6.2f} to {long:6.2f} s')
    if larger_code < 0:
        return f'signal {-larger_code}'
    if larger_code != code and 'E_TOO_LARGE' not in larger_text:
        return f'exit code {larger_code} instead of {code}: {larger_text[:200]}'
    growth = long / max(short, LEAST)
    return f'{growth:.1f} times the processor time for {GROWTH} times as many' if growth > MOST_GROWTH else ''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--fluid2onnx', default=str(HERE.parents[1] / 'build/release/bin/fluid2onnx'))
    parser.add_argument('--only', action='append', default=[], help='cases whose description has this word')
    parser.add_argument('--table', action='store_true', help='print what was measured')
    parser.add_argument('parts', nargs='*', default=[], choices=['paths', 'limits', 'scaling', []])
    options = parser.parse_args()
    parts = options.parts or ['paths', 'limits', 'scaling']
    wanted = lambda text: not options.only or any(word in text for word in options.only)
    passed = failed = 0

    def count(title, problem):
        nonlocal passed, failed
        if problem:
            failed += 1
            print(f'FAILED {title}: {problem}', flush=True)
        else:
            passed += 1

    if 'paths' in parts:
        for row in read_table():
            title = f'paths.txt:{row[0]}: ' + ' | '.join(row[1:])
            if wanted(title):
                count(title, check_path(options.fluid2onnx, row))
    if 'limits' in parts:
        factor = machine_factor()
        print(f'machine factor {factor:.2f}')
        for name, make in adversarial.CASES:
            if wanted(name):
                count(name, check_limit(options.fluid2onnx, name, make, factor, options.table))
    if 'scaling' in parts:
        scaled = 0
        for name, make in adversarial.CASES:
            if wanted(name):
                problem = check_scaling(options.fluid2onnx, make, options.table)
                if problem is not None:
                    scaled += 1
                    count(f'{name}, {GROWTH} times as many', problem)
        if scaled < LEAST_SCALED and not options.only:
            count('scaling', f'only {scaled} cases depend on MANY')
    print(f'robustness: {passed} passed, {failed} failed')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
