"""Models and parameters that are given as bytes: the converter maps files."""
import os
from contextlib import contextmanager
from typing import Iterator, Union

from .errors import ConversionError

PathLike = Union[str, "os.PathLike[str]"]
Content = Union[bytes, bytearray, memoryview]
Source = Union[PathLike, Content]


def path_of(source: PathLike) -> str:
    """Raises TypeError for what is neither a path nor bytes, such as an onnx.ModelProto."""
    if not isinstance(source, (str, os.PathLike)):
        bytes_of = "; its bytes are model.SerializeToString()" if hasattr(source, "SerializeToString") else ""
        raise TypeError(f"a model or its parameters are a path or bytes, not {type(source).__name__}{bytes_of}")
    return os.fsdecode(source)


@contextmanager
def as_file(source: Source) -> Iterator[str]:
    """The path of a file with these bytes, in memory where the system has such files; paths are given as they are."""
    if not isinstance(source, (bytes, bytearray, memoryview)):
        yield path_of(source)
        return
    with _file_with(source) as path:
        try:
            yield path
        except ConversionError as error:
            raise error.about(path, "the model in memory") from None


@contextmanager
def _file_with(content: Content) -> Iterator[str]:
    if getattr(os, "memfd_create", None):  # Linux
        with open(os.memfd_create("fluid2onnx", os.MFD_CLOEXEC), "wb", buffering=0) as file:
            _write(file.fileno(), content)
            # The executable, where it is used, finds it by this process's id.
            yield f"/proc/{os.getpid()}/fd/{file.fileno()}"
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as folder:
        path = os.path.join(folder, "model")
        with open(path, "wb") as file:
            file.write(content)
        yield path


def is_onnx(source: Source) -> bool:
    """Whether this is an ONNX model, by how it begins, or by its name where that does not tell: as the converter decides."""
    name = ""
    if isinstance(source, (bytes, bytearray, memoryview)):
        start = bytes(memoryview(source).cast("B")[:512])
    else:
        name = path_of(source)
        try:
            with open(name, "rb") as file:
                start = file.read(512)
        except OSError:
            start = b""
        if os.path.isdir(name):
            return False
    if len(start) > 2 and start[0] == 8 and 0 < start[1] <= 100 and start[2] in b"\x12\x1a\x22\x28\x32\x3a\x42":
        return True
    of_paddle = start[:1] == b"{" or (start[:1] == b"\n" and b"\x08\x00\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" in start[:32])
    return name.endswith(".onnx") and not of_paddle


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
