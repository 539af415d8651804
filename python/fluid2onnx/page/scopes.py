"""The layers that operators belong to, as far as a program tells: its name scopes, and the Python that made it."""
import re
from typing import Dict, Iterable, List, Tuple

from .. import wire

_FRAME = re.compile(r'\s*File "([^"]*)", line (\d+), in (\S+)')
_MACHINERY = ("/paddle/", "/paddlepaddle/", "<frozen ", "/runpy.py", "/threading.py")
# Fields of framework.proto.
_BLOCKS, _OPS, _ATTRIBUTES, _NAME, _TEXT, _TEXTS = 1, 4, 4, 1, 5, 8

Path = Tuple[str, ...]


def scopes_of_program(content: bytes) -> Dict[Tuple[int, int], List[str]]:
    """The scopes of each operator of a ProgramDesc, by block and place in it; those without are left out."""
    found: Dict[Tuple[int, int], List[str]] = {}
    for number, block in enumerate(_all(content, _BLOCKS)):
        paths = [_path(op) for op in _all(block, _OPS)]
        for index, scope in enumerate(_instances(paths)):
            if scope:
                found[number, index] = scope
    return found


def _all(message: bytes, wanted: int) -> Iterable[bytes]:
    return (content for number, kind, content in wire.fields(message) if number == wanted and kind == wire.BYTES)


def _path(op: bytes) -> Path:
    frames: List[str] = []
    for attribute in _all(op, _ATTRIBUTES):
        name = wire.text(attribute, _NAME)
        if name == "op_namescope":
            parts = [part for part in wire.text(attribute, _TEXT).split("/") if part]
            if parts:
                return tuple(parts)
        elif name == "op_callstack":
            frames = [text.decode("utf-8", "replace") for text in _all(attribute, _TEXTS)]
    return tuple(_place(found) for found in map(_FRAME.match, frames) if found and not any(word in found[1] for word in _MACHINERY))


def _place(frame: "re.Match[str]") -> str:
    return f"{frame[3]} ({frame[1].rsplit('/', 1)[-1]}:{frame[2]})"


class _Scope:
    """A call that is under way: `left` are the calls in it that have returned."""

    def __init__(self, key: str, turn: int) -> None:
        self.key, self.turn = key, turn
        self.left: Dict[str, int] = {}

    @property
    def name(self) -> str:
        return self.key if self.turn == 1 else f"{self.key}, turn {self.turn}"


def _instances(paths: List[Path]) -> List[List[str]]:
    """The same with one name for each time that a call is made. A line that is run again, after another of the same call has been,
    is run by the next iteration of that call."""
    stack: List[_Scope] = []
    result = []
    for path in paths:
        common = 0
        while common < min(len(stack), len(path)) and stack[common].key == path[common]:
            common += 1
        if common < len(path) and 0 < common and path[common] in stack[common - 1].left:
            # Not seen by what is around it: the call there is the same one.
            stack[common - 1 :] = [_Scope(stack[common - 1].key, stack[common - 1].turn + 1)]
        elif common < len(stack):
            if common:
                stack[common - 1].left[stack[common].key] = stack[common].turn
            del stack[common:]
        stack += [_Scope(key, 1) for key in path[len(stack) :]]
        result.append([scope.name for scope in stack])
    return _without_what_all_share(result)


def _without_what_all_share(scopes: List[List[str]]) -> List[List[str]]:
    named = [scope for scope in scopes if scope]
    while named and all(len(scope) > 1 and scope[0] == named[0][0] for scope in named):
        named = [scope[1:] for scope in named]
        scopes = [scope[1:] for scope in scopes]
    return scopes
