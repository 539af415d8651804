"""Layers and losses: convolutions, pools, normalisations."""
from typing import Any, Dict, Tuple

from ..cases import Data
from ..context import Context, Value, options
from .registry import NN, call, maker, prefixed

_LAYOUTS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def _image(context: Context, dims: int, channels: int, last: bool, least: int = 1) -> Value:
    """A fresh or an earlier operand of that layout."""
    spatial = [context.integer(least, 7 if dims < 3 else 4) for _ in range(dims)]
    batch = context.integer(1, 3)
    return context.new([batch, *spatial, channels] if last else [batch, channels, *spatial])


def _padding(context: Context, dims: int, limit: int = 2) -> Any:
    choice = context.rng.random()
    if choice < 0.15:
        return context.choice(("SAME", "VALID"))
    if choice < 0.5:
        return context.integer(0, limit)
    if choice < 0.75:
        return [context.integer(0, limit) for _ in range(dims)]
    return [context.integer(0, limit) for _ in range(2 * dims)]


def _per_axis(context: Context, dims: int, low: int, high: int) -> Any:
    return context.integer(low, high) if context.maybe() else [context.integer(low, high) for _ in range(dims)]


@maker(*prefixed(NN, "conv1d conv2d conv3d"))
def _conv(context: Context, function: str) -> Data:
    dims, groups = int(function[-2]), context.choice((1, 1, 2, 3))
    last = context.maybe(0.25)
    inputs = groups * context.integer(1, 2)
    outputs = groups * context.integer(1, 2)
    x = _image(context, dims, inputs, last, 3)
    weight = context.new([outputs, inputs // groups, *(context.integer(1, 3) for _ in range(dims))])
    more: Dict[str, Any] = {"bias": context.new([outputs])} if context.maybe() else {}
    more.update(options(context, stride=(1, 2, _per_axis(context, dims, 1, 3)), dilation=(1, 2)))
    return call(function, x, weight, padding=_padding(context, dims), groups=groups, data_format=_LAYOUTS[dims][last], **more)


@maker(*prefixed(NN, "conv1d_transpose conv2d_transpose conv3d_transpose"))
def _conv_transpose(context: Context, function: str) -> Data:
    dims, groups = int(function[len(NN) + 4]), context.choice((1, 1, 2))
    last = context.maybe(0.25)
    inputs, outputs = groups * context.integer(1, 2), context.integer(1, 2)
    x = _image(context, dims, inputs, last)
    weight = context.new([inputs, outputs, *(context.integer(1, 3) for _ in range(dims))])
    stride = context.integer(1, 3)
    more: Dict[str, Any] = {"bias": context.new([outputs * groups])} if context.maybe() else {}
    if stride > 1 and context.maybe(0.4):
        more["output_padding"] = context.integer(0, stride - 1)
    more.update(options(context, dilation=(1, 2)))
    return call(function, x, weight, stride=stride, padding=_padding(context, dims, 1), groups=groups, data_format=_LAYOUTS[dims][last], **more)


@maker(*prefixed(NN, "max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d"))
def _pool(context: Context, function: str) -> Data:
    # Windows of at least 2, more than any padding: over padding alone Paddle gives the least float32, and what follows computes with that.
    # No window is larger than the image: Paddle 2 rounds the negative number of steps to 0, and takes one.
    dims, average = int(function[-2]), "avg" in function
    last = dims > 1 and context.maybe(0.25)
    x = context.tensor(dims + 2, dims + 2, empty=False)
    if context.maybe(0.7) or min(x.shape[1:-1] if last else x.shape[2:]) < 3:
        x = _image(context, dims, context.integer(1, 3), last, 3)
    more: Dict[str, Any] = options(context, stride=(1, 2, 3), ceil_mode=(True, False))
    if average and context.maybe(0.4):
        more["exclusive"] = context.maybe()
    if average and dims > 1 and context.maybe(0.15):
        more["divisor_override"] = context.integer(1, 5)
    if dims > 1:
        more["data_format"] = _LAYOUTS[dims][last]
    return call(function, x, _per_axis(context, dims, 2, 3), padding=_padding(context, dims, 1), **more)


@maker(*prefixed(NN, "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d"))
def _adaptive(context: Context, function: str) -> Data:
    dims = int(function[-2])
    last = "avg" in function and dims > 1 and context.maybe(0.25)
    x = _image(context, dims, context.integer(1, 3), last)
    more: Dict[str, Any] = {"data_format": _LAYOUTS[dims][last]} if "avg" in function and dims > 1 else {}
    if "max" in function and context.maybe(0.3):
        more["return_mask"] = True
    size: Any = context.integer(1, 4)
    if dims > 1 and context.maybe(0.4):
        size = [context.choice((1, 2, 3, 4, None)) for _ in range(dims)]
    return call(function, x, size, **more)


@maker("paddle.nn.functional.max_unpool2d")
def _unpool(context: Context) -> Data:
    x = context.new([1, context.integer(1, 2), 2, 2])
    indices = context.new(x.shape, "int32", values=[[[[0, 3], [9, 14]]] * x.shape[1]])
    return call(NN + "max_unpool2d", x, indices, kernel_size=2)


@maker("paddle.nn.functional.batch_norm")
def _batch_norm(context: Context) -> Data:
    last = context.maybe(0.25)
    x = context.tensor(2, 5) if context.maybe(0.4) else _image(context, context.integer(1, 3), context.integer(1, 4), last)
    channels = [x.shape[-1 if last and x.rank > 2 else 1]]
    more: Dict[str, Any] = options(context, epsilon=(1e-5, 1e-3))
    more["data_format"] = {2: "NC"}.get(x.rank) or _LAYOUTS[x.rank - 2][last]
    mean, variance, weight, bias = context.new(channels), context.new(channels, range=[0.1, 2]), context.new(channels), context.new(channels)
    return call(NN + "batch_norm", x, mean, variance, weight, bias, training=False, **more)


@maker("paddle.nn.functional.instance_norm")
def _instance_norm(context: Context) -> Data:
    x = _image(context, context.integer(1, 3), context.integer(1, 3), False, 2)
    more = {"weight": context.new([x.shape[1]]), "bias": context.new([x.shape[1]])} if context.maybe() else {}
    return call(NN + "instance_norm", x, **more)


@maker("paddle.nn.functional.layer_norm")
def _layer_norm(context: Context) -> Data:
    x = context.tensor(2, 4, empty=False)
    shape = list(x.shape[context.integer(1, x.rank - 1) :])
    more: Dict[str, Any] = {"weight": context.new(shape)} if context.maybe() else {}
    if context.maybe():
        more["bias"] = context.new(shape)
    return call(NN + "layer_norm", x, shape, **more)


@maker("paddle.nn.functional.group_norm")
def _group_norm(context: Context) -> Data:
    groups, last = context.choice((1, 2, 3)), context.maybe(0.25)
    x = _image(context, context.integer(1, 2), groups * context.integer(1, 2), last, 2)
    channels = [x.shape[-1 if last else 1]]
    more = {"weight": context.new(channels), "bias": context.new(channels)} if context.maybe() else {}
    return call(NN + "group_norm", x, groups, data_format=_LAYOUTS[x.rank - 2][last], **more)


@maker("paddle.nn.functional.local_response_norm")
def _lrn(context: Context) -> Data:
    x = _image(context, context.integer(1, 2), context.integer(1, 5), False)
    return call(NN + "local_response_norm", x, context.choice((1, 2, 3, 5)))


@maker("paddle.nn.functional.unfold")
def _unfold(context: Context) -> Data:
    x = _image(context, 2, context.integer(1, 2), False, 3)
    return call(NN + "unfold", x, _per_axis(context, 2, 1, 3), **options(context, strides=(1, 2), paddings=(0, 1), dilations=(1, 2)))


@maker("paddle.nn.functional.fold")
def _fold(context: Context) -> Data:
    kernel, size = context.integer(1, 2), context.integer(2, 5)
    blocks = (size - kernel + 1) ** 2
    return call(NN + "fold", context.new([context.integer(1, 2), kernel * kernel * context.integer(1, 2), blocks]), [size, size], kernel)


@maker("paddle.nn.functional.temporal_shift")
def _temporal_shift(context: Context) -> Data:
    segments = context.integer(1, 3)
    x = context.new([segments * context.integer(1, 2), context.integer(1, 5), 2, 3])
    return call(NN + "temporal_shift", x, segments, shift_ratio=context.choice((0.25, 0.4)))


def _pair(context: Context) -> Tuple[Value, Value]:
    x = context.tensor(1, 3)
    return x, context.new(x.shape)


@maker(*prefixed(NN, "mse_loss l1_loss smooth_l1_loss kl_div square_error_cost hinge_embedding_loss soft_margin_loss poisson_nll_loss"))
def _losses(context: Context, function: str) -> Data:
    x, y = _pair(context)
    name = function.rpartition(".")[2]
    more = {} if name == "square_error_cost" else options(context, reduction=("mean", "sum", "none", "batchmean") if name == "kl_div" else ("mean", "sum", "none"))
    if name == "kl_div":
        y = context.new(x.shape, range=[0.05, 1])
    if name == "smooth_l1_loss":
        more.update(options(context, delta=(0.5, 2.0)))
    return call(function, x, y, **more)


@maker("paddle.nn.functional.binary_cross_entropy", "paddle.nn.functional.binary_cross_entropy_with_logits", "paddle.nn.functional.log_loss")
def _binary(context: Context, function: str) -> Data:
    shape = [context.integer(1, 4), 1] if function.endswith("log_loss") else list(context.shape(1, 3))
    x = context.new(shape, range=[0.05, 0.95])
    y = context.new(shape, range=[0, 1])
    more = {} if function.endswith("log_loss") else options(context, reduction=("mean", "sum", "none"))
    if not function.endswith("log_loss") and context.maybe(0.3):
        more["weight"] = context.new(shape)
    return call(function, x, y, **more)


@maker("paddle.nn.functional.cross_entropy", "paddle.nn.functional.softmax_with_cross_entropy")
def _cross_entropy(context: Context, function: str) -> Data:
    x = context.tensor(2, 4, empty=False)
    classes = x.shape[-1]
    soft = context.maybe(0.3)
    if soft:
        label = context.new(x.shape, range=[0.05, 1])
    else:
        label = context.new([*x.shape[:-1], 1] if function.endswith("with_cross_entropy") or context.maybe() else x.shape[:-1], "int64", range=[0, classes])
    more: Dict[str, Any] = {"soft_label": soft}
    if function.endswith(".cross_entropy"):
        more.update(options(context, reduction=("mean", "sum", "none"), use_softmax=(True,), ignore_index=(1, -100)))
        if not soft and context.maybe(0.3):
            more["weight"] = context.new([classes], range=[0.1, 1])
    return call(function, x, label, **more)


@maker("paddle.nn.functional.nll_loss")
def _nll(context: Context) -> Data:
    x = context.tensor(*context.choice(((2, 2), (4, 4))), empty=False)
    label = context.new([x.shape[0], *x.shape[2:]], "int64", range=[0, x.shape[1]])
    more = options(context, reduction=("mean", "sum", "none"), ignore_index=(0, -100))
    if context.maybe(0.3):
        more["weight"] = context.new([x.shape[1]], range=[0.1, 1])
    return call(NN + "nll_loss", x, label, **more)


@maker("paddle.nn.functional.margin_ranking_loss", "paddle.nn.functional.triplet_margin_loss", "paddle.nn.functional.cosine_embedding_loss")
def _margin(context: Context, function: str) -> Data:
    if function.endswith("cosine_embedding_loss"):
        rows, size = context.integer(1, 3), context.integer(1, 4)
        label = context.new([rows], values=[context.choice((-1.0, 1.0)) for _ in range(rows)])
        return call(function, context.new([rows, size]), context.new([rows, size]), label, **options(context, margin=(0.2,), reduction=("sum", "none")))
    x, y = _pair(context)
    return call(function, x, y, context.new(x.shape), **options(context, margin=(0.5,), reduction=("mean", "sum", "none")))


@maker("paddle.nn.functional.sigmoid_focal_loss", "paddle.nn.functional.dice_loss")
def _rare(context: Context, function: str) -> Data:
    x = context.tensor(2, 3, empty=False)
    if function.endswith("dice_loss"):
        return call(function, x, context.new([*x.shape[:-1], 1], "int64", range=[0, x.shape[-1]]))
    return call(function, x, context.new(x.shape, range=[0, 1]), **options(context, reduction=("mean", "sum", "none"), alpha=(0.5,)))
