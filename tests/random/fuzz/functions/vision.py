"""Resizing, sampling, and what detectors use."""
from typing import Any, Dict

from ..cases import Data
from ..context import Context, options
from .registry import NN, call, maker

_OPS = "paddle.vision.ops."


@maker(NN + "interpolate", NN + "upsample")
def _interpolate(context: Context, function: str) -> Data:
    dims = context.choice((1, 2, 2, 2, 3))
    mode = context.choice({1: ("linear",), 2: ("nearest", "bilinear", "bicubic", "area"), 3: ("trilinear", "nearest")}[dims])
    last = context.maybe(0.2)
    layout = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}[dims][last]
    spatial = [context.integer(1, 6 if dims < 3 else 3) for _ in range(dims)]
    x = context.new([context.integer(1, 2), *spatial, 2] if last else [context.integer(1, 2), 2, *spatial])
    more: Dict[str, Any] = {}
    if context.maybe():
        more["size"] = context.parameter([context.integer(1, 8) for _ in range(dims)])
    elif context.maybe():
        more["scale_factor"] = context.choice((2, 0.5, 1.5, 3, 2.0))
    else:
        more["scale_factor"] = [context.choice((2.0, 0.5, 1.5, 1.0, 0.7)) for _ in range(dims)]
    if mode not in ("nearest", "area"):
        more.update(options(context, align_corners=(True, False), align_mode=(0, 1)))
    return call(function, x, mode=mode, data_format=layout, **more)


@maker(NN + "grid_sample")
def _grid_sample(context: Context) -> Data:
    dims = context.choice((2, 2, 3))
    batch = context.integer(1, 2)
    x = context.new([batch, context.integer(1, 2), *(context.integer(1, 5) for _ in range(dims))])
    grid = context.new([batch, *(context.integer(1, 4) for _ in range(dims)), dims], range=[-1.3, 1.3])
    more = options(context, mode=("nearest", "bilinear"), padding_mode=("zeros", "border", "reflection"), align_corners=(True, False))
    return call(NN + "grid_sample", x, grid, **more)


@maker(NN + "affine_grid")
def _affine_grid(context: Context) -> Data:
    batch = context.integer(1, 2)
    dims = context.choice((2, 2, 3))
    shape = [batch, context.integer(1, 3), *(context.integer(1, 5) for _ in range(dims))]
    theta = context.new([batch, dims, dims + 1])
    return call(NN + "affine_grid", theta, context.parameter(shape), align_corners=context.maybe())


@maker(_OPS + "roi_align", _OPS + "roi_pool", _OPS + "psroi_pool")
def _rois(context: Context, function: str) -> Data:
    size = context.choice((1, 2, 3))
    channels = context.integer(1, 2) * (size * size if "psroi" in function else 1)
    batch, count = context.integer(1, 2), context.integer(1, 3)
    x = context.new([batch, channels, context.integer(4, 8), context.integer(4, 8)])
    boxes = context.new([count, 4], boxes=True, range=[0, 8])
    number = context.new([batch], "int32", values=[count] if batch == 1 else [count - 1, 1])
    more = options(context, spatial_scale=(0.5, 1.0))
    if function.endswith("roi_align"):
        more.update(options(context, sampling_ratio=(1, 2, -1), aligned=(True, False)))
    return call(function, x, boxes, number, size, **more)


@maker(_OPS + "yolo_box")
def _yolo_box(context: Context) -> Data:
    classes, anchors, batch = context.integer(1, 3), [10, 13, 16, 30], context.integer(1, 2)
    x = context.new([batch, 2 * (5 + classes), context.integer(1, 3), context.integer(1, 3)])
    sizes = context.new([batch, 2], "int32", range=[20, 60])
    more = options(context, clip_bbox=(True, False), scale_x_y=(1.05,))
    return call(_OPS + "yolo_box", x, sizes, anchors, classes, 0.3, 32, **more)


@maker(_OPS + "nms")
def _nms(context: Context) -> Data:
    count = context.integer(1, 6)
    boxes = context.new([count, 4], boxes=True)
    if context.maybe(0.3):
        return call(_OPS + "nms", boxes, context.choice((0.1, 0.5)))
    return call(_OPS + "nms", boxes, context.choice((0.1, 0.5)), context.new([count], unique=True, range=[0, 1]))


@maker(_OPS + "deform_conv2d")
def _deform_conv2d(context: Context) -> Data:
    batch, channels, kernel = context.integer(1, 2), context.integer(1, 2), context.choice((1, 2, 3))
    height, width = context.integer(3, 5), context.integer(3, 5)
    x = context.new([batch, channels, height, width])
    out = [height - kernel + 1, width - kernel + 1]
    offset = context.new([batch, 2 * kernel * kernel, *out], range=[-1.5, 1.5])
    more: Dict[str, Any] = {"mask": context.new([batch, kernel * kernel, *out], range=[0, 1])} if context.maybe() else {}
    return call(_OPS + "deform_conv2d", x, offset, context.new([context.integer(1, 2), channels, kernel, kernel]), **more)


@maker(_OPS + "prior_box")
def _prior_box(context: Context) -> Data:
    x, image = context.new([1, 2, context.integer(1, 3), context.integer(1, 3)]), context.new([1, 3, 9, 12])
    more = options(context, aspect_ratios=([1.0, 2.0],), flip=(True, False), clip=(True, False), max_sizes=([4.0],), offset=(0.5, 0.0))
    return call(_OPS + "prior_box", x, image, [2.0], **more)


@maker(_OPS + "box_coder")
def _box_coder(context: Context) -> Data:
    count = context.integer(1, 4)
    prior = context.new([count, 4], boxes=True)
    variance: Any = context.choice(([0.1, 0.1, 0.2, 0.2], context.new([count, 4], range=[0.1, 0.3])))
    if context.maybe():
        target = context.new([context.integer(1, 3), 4], boxes=True)
        return call(_OPS + "box_coder", prior, variance, target, code_type="encode_center_size", box_normalized=context.maybe())
    target = context.new([context.integer(1, 3), count, 4])
    return call(_OPS + "box_coder", prior, variance, target, code_type="decode_center_size", box_normalized=context.maybe(), axis=0)
