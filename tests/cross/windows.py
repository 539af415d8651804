"""Cases for Windows alone: its paths, its console, and files that are open."""
import os
import pty
import subprocess
import termios
import threading
import time
from fcntl import ioctl
from pathlib import Path

from bench import MODELS, NAME, Tried, copied
from onnx_files import model_of_zeros, model_with_weights


def paths(bench):
    "backslashes, drive letters and mixed separators"
    copied(bench, MODELS / "jit", f"below/{NAME}")
    expected = Tried(bench.native, ["convert", f"below/{NAME}", "-o", "m.onnx"], bench.here)
    assert expected.code == 0, expected.err
    wanted = (bench.here / "m.onnx").read_bytes()
    drive = "Z:" + str(bench.there).replace("/", "\\")
    for model, output in ((f"below\\{NAME}", "m1.onnx"), (f".\\below/{NAME}", ".\\m2.onnx"), (f"{drive}\\below\\{NAME}", f"{drive}\\m3.onnx"),
                          (f"Z:{bench.there}/below/{NAME}", f"Z:{bench.there}/m4.onnx"), (f"\\\\?\\{drive}\\below\\{NAME}", f"\\\\?\\{drive}\\m5.onnx"),
                          (f"{bench.there}/below/{NAME}", f"{bench.there}/m6.onnx")):
        there = Tried(bench.other, ["convert", model, "-o", output], bench.there)
        assert there.code == 0, (model, there.err)
        assert (bench.there / Path(output.replace("\\", "/")).name).read_bytes() == wanted, output


def reference(bench):
    "a reference to weights has no backslash"
    bench.prepare(lambda folder: (model_with_weights(folder, 100, [0]), (folder / "below").mkdir()))
    bench.same_result("convert", "model.onnx", "-o", "below/p.json")
    assert Tried(bench.native, ["convert", "below/p.json", "-o", "m.onnx", "--weights", "reference"], bench.here).code == 0
    there = Tried(bench.other, ["convert", "below\\p.json", "-o", "m.onnx", "--weights", "reference"], bench.there)
    assert there.code == 0, there.err
    bench.same_files()


def inside(bench):
    "an ONNX file does not reach outside of its folder by a backslash or a drive letter"
    (bench.there / "in").mkdir()
    for location in ("..\\weights.bin", "C:\\weights.bin", "C:weights.bin", "\\weights.bin", f"Z:{bench.there}/weights.bin"):
        model_with_weights(bench.there, 10, [0], location)
        (bench.there / "model.onnx").rename(bench.there / "in/model.onnx")
        there = Tried(bench.other, ["convert", "in/model.onnx", "-o", "x.pdmodel"], bench.there)
        assert there.code != 0 and not (bench.there / "x.pdmodel").exists(), (location, there.out)


def open_file(bench):
    "a result that another program has open stays whole, and is replaced after the program has closed it"
    model_with_weights(bench.there, 200, [0])
    convert = ["convert", "model.onnx", "-o", "m.pdmodel"]
    assert Tried(bench.other, convert, bench.there).code == 0
    wanted, old = (bench.there / "m.pdiparams").read_bytes(), b"some text\r\n" * 100000
    for name in ("m.pdiparams", "long"):
        (bench.there / name).write_bytes(old)
    # Its standard input is the result, which it does not share for deletion; its pipe is full, so that it does not end.
    reading = [*bench.runner, "cmd", "/c", "type long < m.pdiparams"]
    with subprocess.Popen(reading, cwd=bench.there, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as reader:
        assert reader.stdout.read(1)
        there = Tried(bench.other, convert, bench.there)
        assert there.code != 0 and "E_WRITE" in there.err, (there.code, there.err)
        assert (bench.there / "m.pdiparams").read_bytes() == old
        assert not [path.name for path in bench.there.iterdir() if path.suffix == ".tmp"]
        reader.stdout.read()
    assert Tried(bench.other, convert, bench.there).code == 0
    assert (bench.there / "m.pdiparams").read_bytes() == wanted


def in_terminal(command, folder):
    """The process, and the other end of its terminal, which is read so that it does not block."""
    other, own = pty.openpty()
    process = subprocess.Popen(command, cwd=folder, stdin=own, stdout=own, stderr=own, start_new_session=True,
                               preexec_fn=lambda: ioctl(0, termios.TIOCSCTTY, 0))
    os.close(own)

    def drain():
        try:
            while os.read(other, 1 << 16):
                pass
        except OSError:
            os.close(other)

    threading.Thread(target=drain, daemon=True).start()
    return process, other


def ctrl_c(bench):
    "Ctrl-C leaves no temporary file"
    model_of_zeros(bench.there, 1 << 15, 1 << 14)
    command = [*bench.other, "convert", "model.onnx", "-o", "m.pdmodel", "--quiet"]
    for delay in (0, 0.1, 0.3):
        process, terminal = in_terminal(command, bench.there)
        with process:
            end = time.monotonic() + 60
            while not list(bench.there.glob(".m.*.tmp")) and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(delay)
            os.write(terminal, b"\x03")
            code = process.wait(60)
        left = sorted(path.name for path in bench.there.iterdir())
        assert code != 0 and left == ["model.onnx", "weights.bin"], (delay, code, left)


CASES = [paths, reference, inside, open_file, ctrl_c]
