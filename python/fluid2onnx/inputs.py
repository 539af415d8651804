"""Inputs to try a model on: random ones that suit it, of several sizes, and those that are given."""
import zlib
from dataclasses import dataclass, field, replace
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import sequences
from .errors import ModelError
from .onnx_model import are_lengths
from .request import Dims

Lod = Dict[str, List[List[int]]]


@dataclass(frozen=True)
class OpenSizes:
    """Sizes for dims that are not fixed: of batches, of images' heights and widths, and of others; and of sequences."""

    image: int = 1
    other: int = 1
    batch: int = 1
    lengths: "Tuple[int, ...]" = (4, 1, 6)  # of the sequences of a batch
    apart: bool = False  # inputs have independent batch sizes


# Networks on images divide their size by up to 32, and some want more than two pixels at the end.
OPEN_SIZES = (OpenSizes(64, 16), OpenSizes(224, 16), OpenSizes(64, 1), OpenSizes(), OpenSizes(64, 16, 1, (5,)), OpenSizes(1, 1, 1, (1,)))
# Others, to see whether what is open is so in the conversion, too. Least different last, for programs that are not so free.
OTHER_SIZES = (OpenSizes(96, 12, 2, (3, 7)), OpenSizes(256, 12, 2, (3, 7)), OpenSizes(64, 16, 2, (5, 2)), OpenSizes(96, 12, 1, (3,)), OpenSizes(64, 1, 2, (2,)))


@dataclass(frozen=True)
class Role:
    """What an input is for, as the operators show that read it."""

    below: Optional[int] = None  # integers from 0 to this: ids of an embedding's rows
    length: bool = False  # lengths of what another input has


@dataclass
class Inputs:
    """Arrays by name, and the offsets of those that are divided into sequences."""

    arrays: Dict[str, np.ndarray] = field(default_factory=dict)
    lod: Lod = field(default_factory=dict)
    apart: bool = False  # see OpenSizes

    def shapes(self) -> str:
        """\"x [1, 3, 64, 64], words [11, 1] in 3 sequences\"."""
        return ", ".join(f"{name} {list(array.shape)}{self._sequences(name)}" for name, array in self.arrays.items())

    def _sequences(self, name: str) -> str:
        levels = self.lod.get(name)
        return f" in {len(levels[0]) - 1} sequence{'s' if len(levels[0]) != 2 else ''}" if levels else ""


def given_inputs(feeds: Sequence[Any], given: Mapping[str, Any], lod: "Mapping[str, Sequence[Sequence[int]]]") -> Inputs:
    """What the caller gives: arrays, lists of sequences, arrays of lengths beside them, or offsets.

    Raises:
        ModelError: it does not fit the model.
    """
    known = {feed.name: feed for feed in feeds}
    result = Inputs(lod={name: [list(map(int, level)) for level in levels] for name, levels in lod.items()})
    lengths: Dict[str, Dict[int, np.ndarray]] = {}
    for name, value in given.items():
        owner, _, suffix = name.rpartition(".lengths")
        if name not in known and are_lengths(name) and owner in known:
            lengths.setdefault(owner, {})[int(suffix[1:] or 0)] = np.asarray(value)
            continue
        if name not in known:
            raise ModelError(f"the model has no input '{name}'; its inputs are {', '.join(known) or 'none'}")
        try:
            rows, levels = sequences.rows_and_lengths(value)
        except ValueError as error:
            raise ModelError(f"input '{name}': {error}") from error
        if levels:
            result.lod[name] = sequences.offsets(levels)
            if rows.size and not np.can_cast(rows.dtype, known[name].dtype, "same_kind"):
                raise ModelError(f"input '{name}' is {rows.dtype}, but the model takes {known[name].dtype}")
            rows = rows.astype(known[name].dtype)
            if rows.ndim == 1 and known[name].shape[1:] == [1]:
                rows = rows[:, np.newaxis]
        result.arrays[name] = _checked(known[name], rows)
    for owner, levels_of in lengths.items():
        if owner not in result.arrays:
            raise ModelError(f"'{owner}.lengths' is given without '{owner}'")
        result.lod[owner] = sequences.offsets([levels_of[level] for level in sorted(levels_of)])
    for name, offsets in result.lod.items():
        if name in result.arrays and offsets and offsets[-1][-1] != len(result.arrays[name]):
            raise ModelError(f"the lengths of '{name}' add up to {offsets[-1][-1]}, but it has {len(result.arrays[name])} rows")
    return result


def _checked(feed: Any, array: np.ndarray) -> np.ndarray:
    if array.dtype != feed.dtype:
        raise ModelError(f"input '{feed.name}' is {array.dtype}, but the model takes {feed.dtype}")
    return array


def draw(
    feeds: Sequence[Any],
    given: Inputs,
    shapes: Mapping[str, Dims],
    fixed: Mapping[str, Sequence[Any]],
    seed: int,
    sizes: OpenSizes,
    roles: Mapping[str, Role] = {},
    single: bool = False,
) -> Inputs:
    """`given`, and random values for what it lacks. `single`: one sequence in each input that has LoD."""
    result = Inputs(dict(given.arrays), dict(given.lod), sizes.apart)
    divided = [feed for feed in feeds if feed.lod_level]
    if single:
        sizes = replace(sizes, lengths=sizes.lengths[:1])
    if divided and not given.lod:
        batch = len(sizes.lengths)
    else:
        batch = sizes.batch if sizes.apart else _batch(feeds, given, shapes, fixed) or sizes.batch
    for levels in given.lod.values():
        batch = len(levels[0]) - 1
    for feed in feeds:
        if feed.name in result.arrays:
            if feed.lod_level and feed.name not in result.lod:
                result.lod[feed.name] = [[0, len(result.arrays[feed.name])]]  # one sequence
            continue
        rows = batch
        if feed.lod_level:
            rows = result.lod.setdefault(feed.name, _offsets(feed.lod_level, sizes.lengths))[-1][-1]
        axis_sizes = OpenSizes(sizes.image, sizes.other, rows)
        result.arrays[feed.name] = random_input(feed, seed, shapes.get(feed.name), fixed.get(feed.name), sizes=axis_sizes, role=roles.get(feed.name))
    result.arrays = {feed.name: result.arrays[feed.name] for feed in feeds}
    _sizes_of_images(feeds, result.arrays, given)
    return result


def _batch(feeds: Sequence[Any], given: Inputs, shapes: Mapping[str, Dims], fixed: Mapping[str, Sequence[Any]]) -> Optional[int]:
    """The size of dynamic first axes, if given: the batch is the same for all inputs."""
    batches = set()
    for feed in feeds:
        if not feed.shape or feed.shape[0] >= 0:
            continue
        array = given.arrays.get(feed.name)
        known = [array.shape] if array is not None else [shapes.get(feed.name), fixed.get(feed.name)]
        batches.update([size for shape in known if shape and isinstance(size := shape[0], (int, np.integer)) and size >= 0][:1])
    return int(batches.pop()) if len(batches) == 1 else None


def _offsets(levels: int, lengths: Sequence[int]) -> List[List[int]]:
    """One sequence for each of `lengths`; with several levels each holds two, the first with this length."""
    found = [np.asarray(lengths, np.int64)]
    for _ in range(levels - 1):
        inner = found.pop()
        found += [np.full(len(inner), 2, np.int64), np.stack([inner, inner % 3 + 1], axis=1).reshape(-1)]
    return sequences.offsets(found)


def random_input(
    feed: Any, seed: int, *shapes: Optional[Dims], sizes: OpenSizes = OpenSizes(), role: Optional[Role] = None
) -> np.ndarray:
    """Floats uniform in [-1, 1), ids of an embedding's rows, lengths from 1 on, other integers and booleans 0 or 1.

    The same for the same name, whatever the other inputs. A dim is that of the first of `shapes` in which it is a number,
    else the declared one, else that of `sizes`.
    """
    rng = np.random.default_rng([seed, zlib.crc32(feed.name.encode())])
    asked = shapes[0] if shapes else None
    if asked is not None and len(asked) != len(feed.shape):
        raise ModelError(f"input '{feed.name}' has {len(feed.shape)} dims in the program, but {len(asked)} are given")
    known = [shape for shape in (*shapes, feed.shape) if shape is not None and len(shape) == len(feed.shape)]
    found = [next((int(dim) for dim in column if isinstance(dim, (int, np.integer)) and dim >= 0), None) for column in zip(*known)]
    image = _image_axes(found)
    dims = [dim if dim is not None else sizes.batch if axis == 0 else sizes.image if axis in image else sizes.other for axis, dim in enumerate(found)]
    if feed.dtype.startswith(("float", "complex")):
        return rng.uniform(-1, 1, dims).astype(feed.dtype)
    if role and role.below and feed.dtype != "bool":
        return rng.integers(0, role.below, dims).astype(feed.dtype)
    if role and role.length and feed.dtype != "bool":
        return rng.integers(1, max(sizes.other, 1) + 1, dims).astype(feed.dtype)
    return rng.integers(0, 2, dims).astype(feed.dtype)


def _image_axes(dims: Sequence[Optional[int]]) -> Sequence[int]:
    """The height and width of [N, C, H, W], or of [N, H, W, C] with a known small C behind dynamic sizes."""
    if len(dims) != 4:
        return ()
    return (1, 2) if dims[3] in (1, 3, 4) and dims[1] is None else (2, 3)


# What PaddleDetection's models want beside their image, by name: its height and width, and by how much it was scaled.
_OF_IMAGES = ("im_shape", "im_size", "scale_factor", "im_info")


def _sizes_of_images(feeds: Sequence[Any], arrays: Dict[str, np.ndarray], given: Inputs) -> None:
    images = [array for array in arrays.values() if array.ndim == 4]
    if not images:
        return
    axes = _image_axes([None if axis == 1 and images[0].shape[3] in (1, 3, 4) else size for axis, size in enumerate(images[0].shape)])
    size = [images[0].shape[axis] for axis in axes]
    for feed in feeds:
        array = arrays[feed.name]
        if feed.name in given.arrays or feed.name not in _OF_IMAGES or array.ndim != 2 or array.shape[1] not in (2, 3):
            continue
        values = [1.0, 1.0] if feed.name == "scale_factor" else [*size, 1.0]
        array[:] = np.asarray(values[: array.shape[1]]).astype(array.dtype)
