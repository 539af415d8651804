"""Models and parameters that are given as bytes: the converter maps files."""
import os
from contextlib import contextmanager
from typing import Iterator, Union

from .errors import ConversionError

PathLike = Union[str, "os.PathLike[str]"]
Content = Union[bytes, bytearray, memoryview]
Source = Union[PathLike, Content]


@contextmanager
def as_file(source: Source) -> Iterator[str]:
    """The path of a file with these bytes, in memory where the system has such files; paths are given as they are."""
    if not isinstance(source, (bytes, bytearray, memoryview)):
        yield os.fspath(source)
        return
    if hasattr(os, "memfd_create"):
        with open(os.memfd_create("fluid2onnx", os.MFD_CLOEXEC), "wb", buffering=0) as file:
            _write(file.fileno(), source)
            # The executable, where it is used, finds it by this process's id.
            path = f"/proc/{os.getpid()}/fd/{file.fileno()}"
            try:
                yield path
            except ConversionError as error:
                raise error.about(path, "the model in memory") from None
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as folder:
        path = os.path.join(folder, "model")
        with open(path, "wb") as file:
            file.write(source)
        yield path


def _write(descriptor: int, content: Content) -> None:
    rest = memoryview(content).cast("B")
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def write_file(path: str, content: bytes) -> None:
    """The file appears complete or not at all; its folder is made."""
    import tempfile

    folder = os.path.dirname(path) or "."
    os.makedirs(folder, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        try:
            file.write(content)
            file.close()
            os.chmod(file.name, 0o666 & ~_umask())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
