"""Runs the same command with this machine's program and with the cross-built one."""
import os
import shlex
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "tests/data/models"
NAME = "模型 é ß"


class Tried:
    """A command with the results that it left."""

    def __init__(self, program, arguments, folder, stdin=None):
        result = subprocess.run([*program, *map(str, arguments)], cwd=folder, input=stdin, capture_output=True, timeout=600)
        self.code, self.out, self.err = result.returncode, result.stdout, result.stderr.decode(errors="replace")


class Bench:
    """Folders in which both programs do the same."""

    def __init__(self, options, work):
        suffix = ".exe" if options.windows else ""
        runner = shlex.split(options.runner)
        self.windows, self.work, self.runner = options.windows, work, runner
        self.other = [*runner, str(options.folder / f"fluid2onnx{suffix}")]
        self.opgen = [*runner, str(options.folder / f"opgen{suffix}")]
        self.native = [str(options.native)]
        self.native_opgen = [str(options.native.parent / "opgen")]

    def folders(self):
        self.here, self.there = self.work / "here", self.work / "there"
        for folder in (self.here, self.there):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()

    def prepare(self, function):
        function(self.here)
        function(self.there)

    def both(self, *arguments, stdin=None):
        return Tried(self.native, arguments, self.here, stdin), Tried(self.other, arguments, self.there, stdin)

    def same_result(self, *arguments, code=0, stdin=None):
        """Both programs give that exit code, and leave the same files."""
        here, there = self.both(*arguments, stdin=stdin)
        assert here.code == code, f"native: exit code {here.code}: {here.err}"
        assert there.code == code, f"exit code {there.code}: {there.err}"
        self.same_files()
        return here, there

    def same_files(self):
        def files(folder):
            return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".jsonl"}

        here, there = files(self.here), files(self.there)
        assert here.keys() == there.keys(), f"other files: {sorted(map(str, here.keys() ^ there.keys()))}"
        for name, content in here.items():
            assert content == there[name], f"{name} differs"


def copied(bench, source, name):
    def put(folder):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)

    bench.prepare(put)


def without_slashes(text):
    """Without backslashes; in JSON, each is escaped by another one."""
    return text.replace("\\\\", "/").replace("\\", "/")
