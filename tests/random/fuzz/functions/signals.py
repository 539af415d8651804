"""Fourier transforms, frames and audio."""
from typing import Any, Dict

from ..cases import Data
from ..context import Context, options
from .registry import call, maker, prefixed

_NORMS = ("backward", "ortho", "forward")


def _length(context: Context, function: str) -> Any:
    return context.integer(2 if function.rpartition(".")[2] in ("irfft", "hfft", "irfft2", "hfft2", "irfftn", "hfftn") else 1, 5)


def _operand(context: Context, function: str, low: int) -> Any:
    name = function.rpartition(".")[2]
    if name.startswith(("rfft", "ihfft")):
        return context.tensor(low, 4, dtypes=("float32", "float64", "int64"), empty=False)
    real = ("float32", "float64") if name.startswith(("fft", "ifft")) else ()
    return context.tensor(low, 4, dtypes=("complex64", *real, "complex128"), empty=False)


@maker(*prefixed("paddle.fft.", "fft ifft rfft irfft hfft ihfft"))
def _fft(context: Context, function: str) -> Data:
    x = _operand(context, function, 1)
    more = options(context, norm=_NORMS, axis=(context.axis(x),), n=(_length(context, function),))
    return call(function, x, **more)


@maker(*prefixed("paddle.fft.", "fft2 ifft2 rfft2 irfft2 hfft2 ihfft2"))
def _fft2(context: Context, function: str) -> Data:
    x = _operand(context, function, 2)
    more = options(context, norm=_NORMS, axes=(context.rng.sample(range(x.rank), 2), [-2, -1]), s=([context.integer(1, 4), _length(context, function)],))
    return call(function, x, **more)


@maker(*prefixed("paddle.fft.", "fftn ifftn rfftn irfftn hfftn ihfftn"))
def _fftn(context: Context, function: str) -> Data:
    x = _operand(context, function, 1)
    axes = context.axes(x)
    more = options(context, norm=_NORMS, axes=(axes,))
    if context.maybe(0.4):
        count = len(more["axes"]) if "axes" in more else context.integer(1, x.rank)
        more["s"] = [context.integer(1, 4) for _ in range(count - 1)] + [_length(context, function)]
    return call(function, x, **more)


@maker(*prefixed("paddle.fft.", "fftshift ifftshift"))
def _shift(context: Context, function: str) -> Data:
    x = context.tensor(1, 3, dtypes=("float32", "complex64", "int64"), empty=False)
    return call(function, x, **options(context, axes=(context.axis(x), context.axes(x))))


@maker(*prefixed("paddle.fft.", "fftfreq rfftfreq"))
def _frequencies(context: Context, function: str) -> Data:
    return call(function, context.integer(1, 7), **options(context, d=(0.5, 2.0)))


@maker("paddle.signal.frame")
def _frame(context: Context) -> Data:
    length, axis = context.integer(1, 4), context.choice((0, -1))
    size, rest = length + context.integer(0, 5), list(context.shape(0, 2))
    x = context.new([size, *rest] if axis == 0 else [*rest, size], context.choice(("float32", "float32", "int64", "float64")))
    return call("paddle.signal.frame", x, length, context.integer(1, 4), axis=axis)


@maker("paddle.signal.overlap_add")
def _overlap_add(context: Context) -> Data:
    frames, length, axis = context.integer(1, 4), context.integer(1, 4), context.choice((0, -1))
    rest = list(context.shape(0, 2))
    x = context.new([frames, length, *rest] if axis == 0 else [*rest, length, frames], context.choice(("float32", "float32", "int64", "float64")))
    return call("paddle.signal.overlap_add", x, context.integer(1, 4), axis=axis)


@maker("paddle.signal.stft")
def _stft(context: Context) -> Data:
    size = context.integer(2, 6)
    x = context.new([*([context.integer(1, 2)] if context.maybe() else []), size + context.integer(0, 8)], context.choice(("float32", "float32", "float64", "complex64")))
    more = options(context, hop_length=(1, 2, 3), center=(True, False), pad_mode=("reflect", "constant"), normalized=(True, False), onesided=(True, False))
    if context.maybe(0.4):
        more["win_length"] = context.integer(1, size)
    if context.maybe(0.4):
        more["window"] = context.new([more.get("win_length", size)], "float64" if x.dtype == "float64" else "float32", range=[0.3, 1])
    if x.dtype == "complex64":
        more["onesided"] = False
    return call("paddle.signal.stft", x, size, **more)


@maker("paddle.signal.istft")
def _istft(context: Context) -> Data:
    size, frames = context.integer(2, 6), context.integer(2, 5)
    more = options(context, center=(True, False), normalized=(True, False), onesided=(True, False), hop_length=(1, 2))
    rows = size // 2 + 1 if more.get("onesided", True) else size
    x = context.new([*([context.integer(1, 2)] if context.maybe() else []), rows, frames], "complex64")
    if context.maybe(0.4):
        more["window"] = context.new([size], range=[0.5, 1])
    if context.maybe(0.2):
        more["length"] = context.integer(1, 4)
    if more.get("onesided") is False:
        more.update(options(context, return_complex=(True, False)))
    return call("paddle.signal.istft", x, size, **more)


@maker("paddle.audio.functional.power_to_db", "paddle.audio.functional.mel_to_hz", "paddle.audio.functional.hz_to_mel")
def _audio(context: Context, function: str) -> Data:
    x = context.tensor(0, 2, range=[0.01, 3])
    if function.endswith("power_to_db"):
        return call(function, x, **options(context, ref_value=(0.5,), top_db=(None, 10.0)))
    return call(function, x, **options(context, htk=(True, False)))


@maker("layer")
def _features(context: Context) -> Data:
    name = context.choice(("Spectrogram", "MelSpectrogram", "LogMelSpectrogram", "MFCC"))
    more: Dict[str, Any] = options(context, window=("hann", "hamming", "blackman"), power=(1.0, 2.0), center=(True, False))
    if name != "Spectrogram":
        more["n_mels"] = 8
        more.update(options(context, htk=(True, False), norm=("slaney",), f_min=(20.0,)))
    if name == "MFCC":
        more.update(n_mfcc=4)
    return call("layer", f"paddle.audio.features.{name}", [], [["n_fft", 32], *([name, value] for name, value in more.items())], context.new([1, context.integer(40, 70)]))
