#!/usr/bin/env python3
"""Which protections a program or library was linked and compiled with.

    hardening.py FILE... [--published]

Required: position independent code, addresses that are read-only after the start (full RELRO), no executable stack, no search for libraries in
folders outside of the package, no path of the folder in which it was built. With --published also checks of stacks and buffers.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def readelf(*arguments):
    return subprocess.run(['readelf', '-W', *arguments], capture_output=True, text=True, check=True).stdout


def properties(path):
    header, segments, dynamic, symbols = readelf('-h', path), readelf('-l', path), readelf('-d', path), readelf('--dyn-syms', path)
    stack = re.search(r'GNU_STACK.* ([RWE ]{3}) ', segments)
    search = re.findall(r'\((?:RPATH|RUNPATH)\).*\[(.*)\]', dynamic)
    return {
        'position independent': bool(re.search(r'Type:\s+DYN', header)),
        'RELRO': 'GNU_RELRO' in segments,
        'bound at the start': bool(re.search(r'BIND_NOW|\bNOW\b', dynamic)),
        'stack is not executable': stack is not None and 'E' not in stack[1],
        'no text relocations': 'TEXTREL' not in dynamic,
        'libraries only beside it': all(part.startswith('$ORIGIN') for parts in search for part in parts.split(':') if part),
        'no path of its build': str(ROOT).encode() not in Path(path).read_bytes(),
        'stack protector': '__stack_chk_fail' in symbols,
        'fortified': bool(re.search(r'__\w+_chk@', symbols)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='+')
    parser.add_argument('--published', action='store_true')
    options = parser.parse_args()
    passed = failed = 0
    for path in options.files:
        for name, has in properties(path).items():
            if name in ('stack protector', 'fortified') and not options.published:
                continue
            passed, failed = passed + has, failed + (not has)
            if not has:
                print(f'FAILED {path}: {name}: no')
    print(f'hardening: {passed} passed, {failed} failed')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
