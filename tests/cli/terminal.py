#!/usr/bin/env python3
"""What users see on a terminal: a line of progress for long work only.

    terminal.py FLUID2ONNX MODEL
"""
import os
import pty
import signal
import sys
import tempfile
import time

LONG = 1.3  # seconds: work of more than one is long


def run(command, meanwhile=lambda pid: None):
    """What the command writes on a separate terminal, and its status."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execv(command[0], command)
    meanwhile(pid)
    text = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            part = b""
        if not part:
            break
        text += part
    return text.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def read_late(path):
    """Reads a pipe, which has no writer yet."""

    def read(pid):
        time.sleep(LONG)
        with open(path, "rb") as file:
            file.read()

    return read


def main(fluid2onnx, model):
    convert = [os.path.abspath(fluid2onnx), "convert", os.path.abspath(model), "-o"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text, status = run([*convert, "short.onnx"])
        assert status == 0 and "written" in text and "\x1b" not in text, text

        os.mkfifo("pipe")
        text, status = run([*convert, "pipe"], read_late("pipe"))
        assert status == 0, text
        shown, _, rest = text.rpartition("\r\x1b[K")
        assert "writing  100 %" in shown, repr(text)
        assert "%" not in rest and "written" in rest, repr(text)  # the line is gone

        text, status = run([*convert, "pipe", "--quiet"], read_late("pipe"))
        assert (text, status) == ("", 0), text

        def interrupt(pid):
            time.sleep(0.3)
            os.kill(pid, signal.SIGINT)

        text, status = run([*convert, "pipe"], interrupt)
        assert status == -signal.SIGINT, (text, status)
        assert sorted(os.listdir()) == ["pipe", "short.onnx"], os.listdir()


if __name__ == "__main__":
    main(*sys.argv[1:])
