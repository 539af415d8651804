#!/usr/bin/env python3
"""Runs clang-tidy on the C++ that people write, compiles each file alone, and remembers what was clean.

    tidy.py BUILD CACHE [FILE...]

BUILD is a folder that the preset lint configured: its compile_commands.json compiles each file alone. clang-tidy reads
the files of a folder as one, as the builds do, because parsing the headers takes most of its time. CXX (default:
clang++-16) compiles each file alone, headers too: a file that lacks an include, or a name that only a neighbour
declares, is an error there. The headers of libraries are precompiled for sources, so a missing one of them is not found.
Each is repeated when a file of the repository that it includes, its command, .clang-tidy or a tool changed: CACHE has
an empty file for each clean state.
"""
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading

root = pathlib.Path(__file__).resolve().parent.parent
written = ("generator", "interpreter", "python", "runtime", "tests")  # by people
GROUP = 100_000  # bytes of sources that are read as one


@functools.lru_cache(maxsize=None)
def read(path):
    """The SHA-256 of a file, the files of the repository that it includes, and the headers of libraries."""
    content = path.read_bytes()
    names = re.findall(rb'^#include "([^"]+)"', content, re.MULTILINE)
    files = [root / name.decode() for name in names] + [path.parent / name.decode() for name in names]
    libraries = re.findall(rb"^#include <([^>]+)>", content, re.MULTILINE)
    return hashlib.sha256(content).digest(), [f for f in files if f.is_file()], [name.decode() for name in libraries]


def with_includes(paths):
    """The files and all that they include, directly or not."""
    found, waiting = set(), list(paths)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += read(path)[1]
    return sorted(found)


def read_commands(build):
    """{source: the arguments that compile it, without the source and the result}."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source.is_relative_to(root) and source.relative_to(root).parts[0] in written:
            words = shlex.split(entry["command"])
            target = words[words.index("-o") + 1].split(".dir/")[0]
            compiler = next(i for i, word in enumerate(words) if "++" in word)
            flags = words[compiler + 1 : words.index("-o")]
            for option in ("-MD", "-MT", "-MF"):
                if option in flags:
                    at = flags.index(option)
                    del flags[at : at + (1 if option == "-MD" else 2)]
            commands[source] = (target, entry["directory"], flags)
    return commands


class Checks:
    def __init__(self, build, cache):
        self.build, self.cache = build, cache
        self.commands = read_commands(build)
        self.tidy = shutil.which("clang-tidy") or sys.exit("tidy.py: clang-tidy is not on the PATH (scripts/requirements/lint.txt)")
        self.compiler = shutil.which(os.environ.get("CXX", "clang++-16")) or sys.exit("tidy.py: clang++-16 is not on the PATH; or name it in CXX")
        self.versions = b"".join(subprocess.run([tool, "--version"], capture_output=True).stdout for tool in (self.tidy, self.compiler))
        self.locks, self.headers = collections.defaultdict(threading.Lock), {}
        self.folder = build / "tidy"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.cache.mkdir(parents=True, exist_ok=True)

    def once(self, paths, flags, more, run):
        """run(), unless it was clean for the same files: (clean, output)."""
        key = hashlib.sha256(self.versions + more + repr(flags).replace(str(root), "").encode())
        for part in with_includes(paths):
            key.update(str(part.relative_to(root)).encode() + read(part)[0])
        stamp = self.cache / key.hexdigest()
        if stamp.exists():
            return True, ""
        clean, output = run()
        if clean:
            stamp.touch()
        return clean, output

    def groups(self):
        """[(sources, directory, flags)]: sources of one folder and one target."""
        groups = {}
        for source, (target, directory, flags) in sorted(self.commands.items()):
            parts = groups.setdefault((source.parent, target, directory, tuple(flags)), [[]])
            if parts[-1] and sum(s.stat().st_size for s in parts[-1]) + source.stat().st_size > GROUP:
                parts.append([])
            parts[-1].append(source)
        return [(part, key[2], list(key[3])) for key, parts in groups.items() for part in parts]

    def run_tidy(self, number, sources, directory, flags):
        def run():
            path = self.folder / f"group{number}.cc"
            path.write_text("".join(f'#include "{source}"\n' for source in sources))
            command = [self.tidy, "--quiet", "--checks=-bugprone-suspicious-include", f"--config-file={root / '.clang-tidy'}",
                       f"--header-filter=/({'|'.join(written)})/", path, "--", *flags, "-Wno-overlength-strings"]
            done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
            return done.returncode == 0, done.stdout + (done.stderr if done.returncode else "")

        return self.once(sources, flags, b"tidy" + (root / ".clang-tidy").read_bytes(), run)

    def precompiled(self, directory, flags):
        """The headers of libraries that files with these flags include; None if they do not compile together."""
        with self.locks[directory, flags]:
            if (directory, flags) not in self.headers:
                self.headers[directory, flags] = self.precompile(directory, flags)
            return self.headers[directory, flags]

    def precompile(self, directory, flags):
        names = sorted({n for s, (_, d, f) in self.commands.items() if (d, tuple(f)) == (directory, flags)
                        for p in with_includes([s]) for n in read(p)[2]})
        path = self.folder / (hashlib.sha256(repr((directory, flags)).encode()).hexdigest()[:16] + ".h")
        path.write_text("".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in names))
        command = [self.compiler, *flags, "-w", "-fpch-instantiate-templates", "-x", "c++-header", path, "-o", f"{path}.pch"]
        return None if subprocess.run(command, cwd=directory, capture_output=True).returncode else f"{path}.pch"

    def run_alone(self, path, directory, flags):
        def run():
            command = [self.compiler, *flags, "-w", "-fsyntax-only", "-x", "c++", path]
            pch = self.precompiled(directory, tuple(flags)) if path.suffix == ".cc" else None  # headers need little time
            done = pch and subprocess.run([*command, "-include-pch", pch], cwd=directory, capture_output=True, text=True)
            if not pch or done.returncode:
                done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
            return done.returncode == 0, done.stderr

        return self.once([path], flags, b"alone", run)


def main():
    build, cache = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    wanted = {pathlib.Path(p).resolve() for p in sys.argv[3:]}
    checks = Checks(build, cache)
    tasks = [(checks.run_tidy, number, *group) for number, group in enumerate(checks.groups())
             if not wanted or any(path.parent == group[0][0].parent for path in wanted)]
    # A header is compiled as a source beside it is.
    beside = {source.parent: source for source in sorted(checks.commands, reverse=True)}
    for folder, source in sorted(beside.items()):
        for path in sorted([*folder.glob("*.h"), *(s for s in checks.commands if s.parent == folder)]):
            if not wanted or path in wanted:
                tasks.append((checks.run_alone, path, *checks.commands.get(path, checks.commands[source])[1:]))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for clean, output in pool.map(lambda task: task[0](*task[1:]), tasks):
            failed += not clean
            sys.stdout.write(output)
            sys.stdout.flush()
    print(f"tidy: {len(tasks) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
