"""Converting many models in one process: the client of `fluid2onnx batch`, described in README.md."""
import json
import os
import select
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Union

CRASH, TIMEOUT = "CRASH", "TIMEOUT"


@dataclass
class Reply:
    """Either converted (`ok`), or refused: then `code`, `message` and maybe `lowest_opset` say why."""

    ok: bool
    code: str = ""
    message: str = ""
    lowest_opset: Optional[int] = None
    raw: Dict[str, Any] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether the converter itself failed, rather than refused."""
        return self.code in (CRASH, TIMEOUT)


@dataclass
class Silence:
    """There was no answer, and the process is gone: `code` is CRASH or TIMEOUT."""

    code: str
    message: str


class Lines:
    """A process that answers each line of JSON with one; started when first needed, and again after a crash."""

    def __init__(self, command: Sequence[str], timeout: float = 60.0):
        self._command = list(command)
        self._timeout = timeout
        self._process: "Optional[subprocess.Popen[bytes]]" = None
        self._stderr = tempfile.TemporaryFile()

    def ask(self, request: Any) -> "Union[Dict[str, Any], Silence]":
        """The answer to a request."""
        try:
            process = self._running()
            assert process.stdin is not None
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = self._read_line(process)
        except BrokenPipeError:
            line = b""
        if line is None:
            self._kill()
            return Silence(TIMEOUT, f"gave no answer for {self._timeout:g} s")
        if not line:
            return Silence(CRASH, self._ended())
        return json.loads(line)

    def close(self) -> None:
        """Ends the process for good."""
        self._kill()
        self._stderr.close()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            process.stdin.close()  # type: ignore[union-attr]
            process.stdout.close()  # type: ignore[union-attr]

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, bufsize=0
            )
        return self._process

    def _read_line(self, process: "subprocess.Popen[bytes]") -> Optional[bytes]:
        """One line; empty at the end of the stream, None when it takes too long."""
        assert process.stdout is not None
        parts: List[bytes] = []
        while True:
            ready, _, _ = select.select([process.stdout], [], [], self._timeout)
            if not ready:
                return None
            part = os.read(process.stdout.fileno(), 1 << 16)
            parts.append(part)
            if not part:
                return b""
            if part.endswith(b"\n"):
                return b"".join(parts)

    def _ended(self) -> str:
        process, self._process = self._process, None
        assert process is not None
        code = process.wait()
        process.stdin.close()  # type: ignore[union-attr]
        process.stdout.close()  # type: ignore[union-attr]
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        self._stderr.seek(0)
        lines = [line.strip() for line in self._stderr.read().decode(errors="replace").splitlines() if line.strip()]
        self._stderr.seek(0)
        self._stderr.truncate()
        # Of a sanitizer's report the line with the error counts; of an assertion the last.
        marked = [line for line in lines if "ERROR:" in line or "Assertion" in line or "what()" in line]
        last = (marked or lines or [""])[-1]
        return f"ended ({how})" + (f": {last}" if last else "")


class Batch(Lines):
    """A running `fluid2onnx batch`."""

    def convert(self, model: str, params: Optional[str], out: str, opset: int, **options: Any) -> Reply:
        """Converts one model; `options` become further members of the request."""
        answer = self.ask({"model": model, "params": params, "output": out, "opset": opset, **options})
        if isinstance(answer, Silence):
            return Reply(False, answer.code, f"the converter {answer.message}")
        return Reply(
            bool(answer.get("ok")),
            str(answer.get("code") or ""),
            " ".join(str(answer.get("message") or "").split()),
            answer.get("lowest_opset"),
            answer,
        )
