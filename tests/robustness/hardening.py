#!/usr/bin/env python3
"""Which protections a program or library was linked and compiled with.

    hardening.py FILE... [--published] [--self-check]

Required: position independent code, addresses that are read-only after the start (full RELRO), no executable stack, no search for libraries in
folders outside of the package, no path of the folder in which it was built. With --published also checks of stacks and buffers. With --self-check,
it also compiles a program without each protection, and must find exactly that fault.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


SAMPLE = r"""
#include <stdio.h>
#include <string.h>
#ifndef TEXT
#define TEXT ""
#endif
int main(int n, char** v) {
  char copy[9];
  strcpy(copy, v[n - 1]);
  return puts(copy) + puts(TEXT) < 0;
}
#ifdef ADDRESS_IN_CODE
asm(".text\n.quad main");
#endif
"""
PROTECTED = '-O1 -fPIE -pie -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now,-z,noexecstack'
# The flags that take each protection away.
FAULTS = {
    'position independent': '-fno-pie -no-pie',
    'RELRO': '-Wl,-z,norelro',
    'bound at the start': '-Wl,-z,lazy',
    'stack is not executable': '-Wl,-z,execstack',
    'no text relocations': '-Wl,-z,notext -DADDRESS_IN_CODE',
    'libraries only beside it': '-Wl,-rpath,/tmp',
    'no path of its build': f'-DTEXT=\'"{ROOT}"\'',
    'stack protector': '-fno-stack-protector',
    'fortified': '-U_FORTIFY_SOURCE',
}


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


def faults_found(folder):
    """(fault, properties that are missing) of a program with that fault, and of one without faults."""
    source, program = Path(folder) / 'sample.c', Path(folder) / 'sample'
    source.write_text(SAMPLE)
    for fault, flags in {'': '', **FAULTS}.items():
        subprocess.run([os.environ.get('CC', 'cc'), *shlex.split(f'{PROTECTED} {flags}'), source, '-o', program], check=True)
        yield fault, ' '.join(name for name, has in properties(program).items() if not has)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='+')
    parser.add_argument('--published', action='store_true')
    parser.add_argument('--self-check', action='store_true')
    options = parser.parse_args()
    passed = failed = 0
    for path in options.files:
        for name, has in properties(path).items():
            if name in ('stack protector', 'fortified') and not options.published:
                continue
            passed, failed = passed + has, failed + (not has)
            if not has:
                print(f'FAILED {path}: {name}: no')
    if options.self_check:
        with tempfile.TemporaryDirectory(prefix='hardening-') as folder:
            for fault, found in faults_found(folder):
                passed, failed = passed + (found == fault), failed + (found != fault)
                if found != fault:
                    print(f'FAILED a program without "{fault}": "{found}" is found')
    print(f'hardening: {passed} passed, {failed} failed')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
