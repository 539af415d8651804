"""Convolutions, pools and losses with all their arguments."""
from typing import Any, Dict, List

from ..cases import Data
from ..context import Context, options
from .registry import NN, call, maker, prefixed

_LAYOUTS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
_REDUCTIONS = ("mean", "sum", "none")


def _image(context: Context, dims: int, channels: int, last: bool, least: int = 1) -> List[int]:
    spatial = [context.integer(least, 6 if dims < 3 else 4) for _ in range(dims)]
    batch = context.choice((1, 1, 2, 0) if context.maybe(0.1) else (1, 2))
    return [batch, *spatial, channels] if last else [batch, channels, *spatial]


def _nested(context: Context, dims: int, last: bool, limit: int) -> Any:
    """Padding of each axis, with those that have none."""
    spatial = [[context.integer(0, limit), context.integer(0, limit)] for _ in range(dims)]
    none = [0, 0]
    return [none, *spatial, none] if last else [none, none, *spatial]


@maker(*prefixed(NN, "conv1d conv2d conv3d conv1d_transpose conv2d_transpose conv3d_transpose"))
def _conv(context: Context, function: str) -> Data:
    name = function.rpartition(".")[2]
    dims, transposed = int(name[4]), name.endswith("transpose")
    last, depthwise = context.maybe(0.3), context.maybe(0.3)
    groups = context.choice((1, 2, 3))
    inputs = groups * (1 if depthwise else context.integer(1, 2))
    per_group = context.integer(1, 2)
    dtype = context.choice(("float32", "float32", "float64"))
    kernel = [context.integer(1, 3) for _ in range(dims)]
    x = context.new(_image(context, dims, inputs, last, 3), dtype)
    weight = context.new([inputs, per_group, *kernel] if transposed else [groups * per_group, inputs // groups, *kernel], dtype)
    more: Dict[str, Any] = {"bias": context.new([groups * per_group], dtype)} if context.maybe() else {}
    more.update(options(context, stride=(1, 2, [context.integer(1, 3) for _ in range(dims)]), dilation=(1, 2, [context.integer(1, 2) for _ in range(dims)])))
    more.update(options(context, padding=("SAME", "VALID", "same", 1, [context.integer(0, 1) for _ in range(dims)], [context.integer(0, 1) for _ in range(2 * dims)], _nested(context, dims, last, 1))))
    if transposed and context.maybe(0.3):
        strides = more.get("stride", 1)
        strides = strides if isinstance(strides, list) else [strides] * dims
        more["output_padding"] = [context.integer(0, stride - 1) for stride in strides]
    elif transposed and context.maybe(0.3):
        strides = more.get("stride", 1)
        strides = strides if isinstance(strides, list) else [strides] * dims
        more.pop("padding", None)
        more.pop("dilation", None)
        spatial = x.shape[1:-1] if last else x.shape[2:]
        sizes = [(size - 1) * stride + window + context.integer(0, stride - 1) for size, stride, window in zip(spatial, strides, kernel)]
        more["output_size"] = context.parameter(sizes) if dims > 1 else sizes
    return call(function, x, weight, groups=groups, data_format=_LAYOUTS[dims][last], **more)


@maker(*prefixed(NN, "max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d lp_pool1d lp_pool2d"))
def _pool(context: Context, function: str) -> Data:
    name = function.rpartition(".")[2]
    dims, kind = int(name[-2]), name[:3]
    last = dims > 1 and context.maybe(0.3)
    x = context.new(_image(context, dims, context.integer(1, 2), last, 3), context.choice(("float32", "float32", "float64")))
    kernel = [context.integer(1, 3) for _ in range(dims)]
    more = options(context, stride=(1, 2, 4, [context.integer(1, 3) for _ in range(dims)]), ceil_mode=(True, False))
    limit = min(kernel) // 2
    paddings: Any = ("SAME", "VALID", limit, [context.integer(0, limit) for _ in range(2 * dims)], _nested(context, dims, last, limit))
    more.update(options(context, padding=paddings))
    if kind == "max" and context.maybe(0.3):
        more["return_mask"] = True
    if kind == "avg":
        more.update(options(context, exclusive=(True, False)))
        if dims > 1:
            more.update(options(context, divisor_override=(1, 3)))
    if dims > 1:
        more["data_format"] = _LAYOUTS[dims][last]
    size: Any = kernel if context.maybe(0.7) else kernel[0]
    return call(function, x, context.choice((1.0, 2.0, 3)), size, **more) if kind == "lp_" else call(function, x, size, **more)


@maker(*prefixed(NN, "max_unpool1d max_unpool2d max_unpool3d"))
def _unpool(context: Context, function: str) -> Data:
    dims = int(function[-2])
    sizes, kernel = [context.integer(1, 3) for _ in range(dims)], context.integer(1, 3)
    more = options(context, stride=(kernel,), output_size=([size * kernel for size in sizes],))
    total = 1
    for size in sizes:
        total *= size
    step = kernel**dims
    x = context.new([1, 1, *sizes])
    numbers = [position * step for position in range(total)]
    return call(function, x, context.new(x.shape, "int32", values=_shaped(numbers, [1, 1, *sizes])), kernel, **more)


def _shaped(numbers: List[int], shape: List[int]) -> Any:
    if not shape:
        return numbers[0]
    size = len(numbers) // shape[0]
    return [_shaped(numbers[index * size : (index + 1) * size], shape[1:]) for index in range(shape[0])]


@maker(*prefixed(NN, "adaptive_max_pool2d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool3d fractional_max_pool2d fractional_max_pool3d"))
def _adaptive(context: Context, function: str) -> Data:
    dims = int(function[-2])
    x = context.new(_image(context, dims, context.integer(1, 2), False, 2), context.choice(("float32", "float64")))
    size: Any = context.choice((1, 2, 3, 5, {"tuple": [context.integer(1, 4) for _ in range(dims)]}, [None] * (dims - 1) + [2]))
    if "fractional" in function:
        return call(function, x, context.choice((1, 2, [2] * dims)), random_u=context.number(0.05, 0.95), **options(context, return_mask=(True,), kernel_size=(2,)))
    return call(function, x, size, **options(context, return_mask=(True,)) if "max" in function else {})


@maker(NN + "unfold", NN + "fold")
def _columns(context: Context, function: str) -> Data:
    kernel, strides, dilations = ([context.integer(1, 2) for _ in range(2)] for _ in range(3))
    pads = [context.integer(0, 1) for _ in range(4)]
    height, width = context.integer(3, 6), context.integer(3, 6)
    paddings: Any = context.choice((pads, pads[:2], pads[0]))
    if function.endswith("unfold"):
        return call(function, context.new([context.integer(1, 2), context.integer(1, 2), height, width]), kernel, strides, paddings, dilations)
    around = pads if paddings is pads else [*paddings, *paddings] if isinstance(paddings, list) else [paddings] * 4
    blocks = 1
    for axis, size in enumerate((height, width)):
        blocks *= (size + around[axis] + around[axis + 2] - dilations[axis] * (kernel[axis] - 1) - 1) // strides[axis] + 1
    columns = context.new([context.integer(1, 2), kernel[0] * kernel[1] * context.integer(1, 2), blocks], context.choice(("float32", "float64")))
    return call(function, columns, [height, width], kernel, strides, paddings, dilations)


@maker(*prefixed(NN, "batch_norm instance_norm local_response_norm layer_norm group_norm temporal_shift"))
def _norms(context: Context, function: str) -> Data:
    name, dims = function.rpartition(".")[2], context.integer(1, 3)
    last = name not in ("instance_norm", "layer_norm") and context.maybe(0.3)
    channels = context.integer(1, 4)
    dims = 2 if name == "temporal_shift" else dims
    x = context.new(_image(context, dims, channels, last), context.choice(("float32", "float32", "float64")))
    layout = _LAYOUTS[dims][last]
    def per_channel(**constraints: Any) -> Any:
        return context.new([channels], "float32", **constraints)
    if name == "batch_norm":
        weights = {"weight": per_channel()} if context.maybe() else {}
        weights.update({"bias": per_channel()} if context.maybe() else {})
        return call(function, x, per_channel(), per_channel(range=[0.1, 2]), **weights, data_format=layout, **options(context, use_global_stats=(True, None), momentum=(0.5,)))
    if name == "instance_norm":
        return call(function, x, **({"weight": per_channel()} if context.maybe() else {}), **({"bias": per_channel()} if context.maybe() else {}), **options(context, eps=(1e-3,)))
    if name == "local_response_norm":
        return call(function, x, context.integer(1, 5), data_format=layout, **options(context, alpha=(0.1, 1.0), beta=(0.5, 2.0), k=(0.5, 2.0)))
    if name == "temporal_shift":
        return call(function, x, x.shape[0] or 1, data_format=layout, **options(context, shift_ratio=(0.1, 0.3, 0.5)))
    if name == "group_norm":
        return call(function, x, channels, data_format=layout, **({"weight": per_channel()} if context.maybe() else {}), **options(context, epsilon=(1e-3,)))
    shape = list(x.shape[context.integer(1, x.rank - 1) :])
    return call(function, x, shape if len(shape) > 1 or context.maybe() else shape[0], **({"bias": context.new(shape)} if context.maybe() else {}), **options(context, epsilon=(1e-3,)))


@maker(*prefixed(NN, "gaussian_nll_loss multi_margin_loss multi_label_soft_margin_loss triplet_margin_with_distance_loss triplet_margin_loss npair_loss ctc_loss "
                     "margin_cross_entropy hsigmoid_loss multi_label_margin_loss poisson_nll_loss cosine_embedding_loss hinge_embedding_loss kl_div log_loss margin_ranking_loss"))
def _losses(context: Context, function: str) -> Data:
    name = function.rpartition(".")[2]
    rows, classes = context.integer(1, 4), context.integer(2, 4)
    x = context.new([rows, classes], context.choice(("float32", "float32", "float64")))
    like = lambda **constraints: context.new(x.shape, x.dtype, **constraints)  # noqa: E731
    ids = lambda: context.new([rows], "int64", range=[0, classes])  # noqa: E731
    reduction = options(context, reduction=_REDUCTIONS)
    if name == "gaussian_nll_loss":
        variance = context.new(context.choice((list(x.shape), [rows], [rows, 1])), x.dtype, range=[0.1, 2])
        return call(function, x, like(), variance, **reduction, **options(context, full=(True, False), epsilon=(0.5,)))
    if name == "multi_margin_loss":
        weight = {"weight": context.new([classes], x.dtype, range=[0.1, 1])} if context.maybe(0.4) else {}
        return call(function, x, ids(), **weight, **reduction, **options(context, p=(1, 2), margin=(0.5, 1.5)))
    if name in ("multi_label_soft_margin_loss", "multi_label_margin_loss"):
        return call(function, x, context.new(x.shape, x.dtype if "soft" in name else "int64", range=[0, 1, True]), **reduction)
    if name.startswith("triplet"):
        more = options(context, margin=(0.3,), swap=(True, False))
        return call(function, x, like(), like(), **reduction, **more, **(options(context, p=(1.0, 2.0, 3.0), epsilon=(1e-3,)) if name == "triplet_margin_loss" else {}))
    if name == "npair_loss":
        return call(function, x, like(), ids(), **options(context, l2_reg=(0.1,)))
    if name == "ctc_loss":
        steps, batch = context.integer(3, 5), context.integer(1, 2)
        logits, labels = context.new([steps, batch, 4]), context.new([batch, 2], "int32", range=[1, 4])
        sizes = context.new([batch], "int64", range=[3, steps, True]), context.new([batch], "int64", range=[1, 2, True])
        return call(function, logits, labels, *sizes, **reduction)
    if name == "margin_cross_entropy":
        return call(function, like(range=[-0.9, 0.9]), ids(), **reduction, **options(context, margin1=(1.0, 0.9), margin2=(0.0, 0.3), margin3=(0.1,), scale=(8.0,), return_softmax=(True, False)))
    if name == "hsigmoid_loss":
        weight = context.new([classes - 1, classes], x.dtype)
        return call(function, x, context.new([rows, 1], "int64", range=[0, classes]), classes, weight, **({"bias": context.new([classes - 1, 1], x.dtype)} if context.maybe() else {}))
    if name == "poisson_nll_loss":
        return call(function, x, like(range=[0, 3]), **reduction, **options(context, log_input=(True, False), full=(True, False), epsilon=(1e-3,)))
    if name == "cosine_embedding_loss":
        label = context.new([rows], values=[float(context.choice((-1, 1))) for _ in range(rows)])
        return call(function, context.new([rows, classes]), context.new([rows, classes]), label, **reduction, **options(context, margin=(-0.3, 0.3)))
    if name == "hinge_embedding_loss":
        return call(function, x, context.new(x.shape, x.dtype, values=[[float(context.choice((-1, 1))) for _ in range(classes)] for _ in range(rows)]), **reduction, **options(context, margin=(0.3,)))
    if name == "kl_div":
        return call(function, x, like(range=[0, 1]), **options(context, reduction=(*_REDUCTIONS, "batchmean")))
    if name == "log_loss":
        return call(function, context.new([rows, 1], range=[0.01, 1]), context.new([rows, 1], range=[0, 1]), **options(context, epsilon=(0.1,)))
    return call(function, x, like(), context.new(x.shape, x.dtype, values=[[float(context.choice((-1, 1))) for _ in range(classes)] for _ in range(rows)]), **reduction, **options(context, margin=(0.3,)))


@maker(NN + "cross_entropy", NN + "softmax_with_cross_entropy", NN + "nll_loss")
def _classes(context: Context, function: str) -> Data:
    x = context.tensor(1, 4, dtypes=("float32", "float64"), empty=False)
    axis = context.choice((-1, x.rank - 1, 1 if x.rank > 1 else 0, context.axis(x)))
    classes, soft = x.shape[axis], context.maybe(0.3)
    shape = list(x.shape)
    shape[axis] = 1
    if not soft and function.endswith(".cross_entropy") and context.maybe():
        del shape[axis]
    if function.endswith("nll_loss"):
        x = context.tensor(2, 5, dtypes=("float32", "float64"), empty=False)
        label = context.new([x.shape[0], *x.shape[2:]], "int64", range=[0, x.shape[1]])
        weight = {"weight": context.new([x.shape[1]], x.dtype, range=[0.1, 1])} if context.maybe() else {}
        return call(function, x, label, **weight, **options(context, reduction=_REDUCTIONS, ignore_index=(0, 1, -100)))
    label = context.new(x.shape, x.dtype, range=[0.05, 1]) if soft else context.new(shape, context.choice(("int64", "int32")), range=[0, classes])
    more: Dict[str, Any] = {"soft_label": soft, "axis": axis}
    if function.endswith(".cross_entropy"):
        more.update(options(context, reduction=_REDUCTIONS, use_softmax=(True, False), ignore_index=(0, 1), label_smoothing=(0.1, 0.5)))
        x = context.new(x.shape, x.dtype, range=[0.05, 1]) if more.get("use_softmax") is False else x
        if context.maybe(0.4):
            more["weight"] = context.new([classes], x.dtype, range=[0.1, 1])
    else:
        more.update(options(context, return_softmax=(True, False), ignore_index=(0, -100), numeric_stable_mode=(True, False)))
    return call(function, x, label, **more)


@maker(*prefixed(NN, "softmax log_softmax gumbel_softmax dropout dropout2d dropout3d alpha_dropout rrelu cosine_similarity normalize"))
def _rest(context: Context, function: str) -> Data:
    name = function.rpartition(".")[2]
    x = context.tensor(1, 4, dtypes=("float32", "float64", "int64"))
    if name in ("softmax", "log_softmax"):
        return call(function, x, axis=context.axis(x), **options(context, dtype=("float32", "float64")))
    if name == "cosine_similarity":
        return call(function, x, context.broadcast(x), **options(context, axis=(context.axis(x),), eps=(0.1,)))
    if name == "normalize":
        return call(function, x, **options(context, axis=(context.axis(x),), p=(1, 2.5, 2, 0.5, {"float": "inf"}), epsilon=(0.5,)))
    if name == "rrelu":
        return call(function, x, training=False, **options(context, lower=(0.2,), upper=(0.5,)))
    if name == "gumbel_softmax":
        return call(function, x, hard=True) if x.rank and x.shape[-1] == 1 else call(NN + "softmax", x)
    x = context.tensor(4, 4) if name == "dropout2d" else context.tensor(5, 5) if name == "dropout3d" else x
    return call(function, x, p=context.choice((0.0, 0.4, 1.0)), training=False, **options(context, axis=(0, [0]), mode=("downscale_in_infer", "upscale_in_train")) if name == "dropout" else {})


@maker(NN + "scaled_dot_product_attention")
def _attention(context: Context) -> Data:
    batch, length, heads, size = (context.integer(1, 3) for _ in range(4))
    query = context.new([batch, length, heads, size])
    causal = context.maybe(0.3)
    keys = length if causal else context.integer(1, 4)
    key, value = context.new([batch, keys, heads, size]), context.new([batch, keys, heads, size])
    mask = {"attn_mask": context.new([batch, context.choice((1, heads)), length, keys])} if not causal and context.maybe(0.4) else {}
    return call(NN + "scaled_dot_product_attention", query, key, value, is_causal=causal, training=False, **mask)
