"""Functions of detectors, and resizing, with all their arguments."""
from typing import Any, Dict

from ..cases import Data
from ..context import Context, options
from .registry import NN, call, maker, prefixed

_OPS = "paddle.vision.ops."


@maker(_OPS + "distribute_fpn_proposals")
def _distribute(context: Context) -> Data:
    count, batch = context.integer(1, 6), context.integer(1, 2)
    rois = context.new([count, 4], boxes=True, range=[0, 300])
    number = {"rois_num": context.new([batch], "int32", values=[count] if batch == 1 else [count - 1, 1])} if context.maybe(0.6) else {}
    low = context.integer(2, 3)
    return call(_OPS + "distribute_fpn_proposals", rois, low, low + context.integer(1, 3), 4, 224, **number, **options(context, pixel_offset=(True, False)))


@maker(_OPS + "matrix_nms")
def _matrix_nms(context: Context) -> Data:
    batch, count, classes = context.integer(1, 2), context.integer(1, 5), context.integer(1, 3)
    boxes = context.new([batch, count, 4], boxes=True)
    scores = context.new([batch, classes, count], unique=True, range=[0, 1])
    more = options(context, use_gaussian=(True, False), normalized=(True, False), return_index=(True, False), return_rois_num=(True,), background_label=(-1, 0))
    return call(_OPS + "matrix_nms", boxes, scores, 0.2, context.choice((0.0, 0.1)), context.choice((-1, 3)), context.choice((-1, 2, 5)), **more)


@maker(_OPS + "generate_proposals")
def _proposals(context: Context) -> Data:
    batch, anchors, height, width = 1, context.integer(1, 2), context.integer(1, 3), context.integer(1, 3)
    scores = context.new([batch, anchors, height, width], unique=True, range=[0, 1])
    deltas = context.new([batch, 4 * anchors, height, width], range=[-0.2, 0.2])
    size = context.new([batch, 2], values=[[30.0, 40.0]])
    shape = [height, width, anchors, 4]
    more = options(context, pre_nms_top_n=(3,), post_nms_top_n=(2,), nms_thresh=(0.3,), min_size=(2.0,), pixel_offset=(True, False), return_rois_num=(True,))
    return call(_OPS + "generate_proposals", scores, deltas, size, context.new(shape, boxes=True, range=[0, 30]), context.new(shape, range=[0.5, 1]), **more)


@maker(_OPS + "nms")
def _nms(context: Context) -> Data:
    count = context.integer(1, 6)
    boxes, scores = context.new([count, 4], boxes=True), context.new([count], unique=True, range=[0, 1])
    categories = context.new([count], "int64", range=[0, 3])
    return call(_OPS + "nms", boxes, context.choice((0.1, 0.5)), scores, categories, [0, 1, 2], **options(context, top_k=(1, 2, count)))


@maker(_OPS + "deform_conv2d")
def _deform(context: Context) -> Data:
    groups, parts, kernel = context.choice((1, 2)), context.choice((1, 2)), [context.integer(1, 3), context.integer(1, 2)]
    channels = 2 * context.integer(1, 2)
    stride, padding, dilation = ([context.integer(1, 2) for _ in range(2)] for _ in range(3))
    padding = [number - 1 for number in padding]
    size = [context.integer(4, 6), context.integer(4, 6)]
    out = [(size[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(2)]
    batch = context.integer(1, 2)
    x = context.new([batch, channels, *size])
    offset = context.new([batch, 2 * parts * kernel[0] * kernel[1], *out], range=[-1.5, 1.5])
    more: Dict[str, Any] = {"mask": context.new([batch, parts * kernel[0] * kernel[1], *out], range=[0, 1])} if context.maybe() else {}
    if context.maybe():
        more["bias"] = context.new([2])
    return call(_OPS + "deform_conv2d", x, offset, context.new([2, channels // groups, *kernel]), stride=stride, padding=padding, dilation=dilation, deformable_groups=parts, groups=groups, **more)


@maker(_OPS + "roi_align", _OPS + "roi_pool", _OPS + "psroi_pool")
def _rois(context: Context, function: str) -> Data:
    size = [context.integer(1, 3), context.integer(1, 3)]
    channels = size[0] * size[1] * context.integer(1, 2) if "psroi" in function else context.integer(1, 2)
    count = context.integer(1, 3)
    x = context.new([1, channels, context.integer(1, 8), context.integer(1, 8)], context.choice(("float32", "float64")))
    boxes = context.new([count, 4], x.dtype, boxes=True, range=context.choice(([0, 8], [-3, 12], [0, 40])))
    return call(function, x, boxes, context.new([1], "int32", values=[count]), {"tuple": size}, **options(context, spatial_scale=(0.3, 2.0)))


@maker(_OPS + "prior_box")
def _prior_box(context: Context) -> Data:
    x, image = context.new([1, 1, context.integer(1, 3), context.integer(1, 3)]), context.new([1, 3, 8, 10])
    more = options(context, aspect_ratios=([1.0, 2.0], [0.5, 3.0]), flip=(True, False), clip=(True, False), variance=([0.2, 0.2, 0.1, 0.1],), steps=([4.0, 5.0],), offset=(0.0, 0.3), min_max_aspect_ratios_order=(True, False))
    sizes = context.choice(([2.0], [2.0, 3.0]))
    if context.maybe():
        more["max_sizes"] = [size * 2 for size in sizes]
    return call(_OPS + "prior_box", x, image, sizes, **more)


@maker(_OPS + "box_coder")
def _box_coder(context: Context) -> Data:
    count, rows = context.integer(1, 4), context.integer(1, 3)
    axis = context.choice((0, 1))
    prior = context.new([count, 4], boxes=True)
    variance: Any = context.choice(([0.1, 0.1, 0.2, 0.2], context.new([count, 4], range=[0.1, 0.3]), None))
    target = context.new([rows, count, 4] if axis == 0 else [count, rows, 4], range=[0.1, 1])
    return call(_OPS + "box_coder", prior, variance, target, code_type="decode_center_size", box_normalized=context.maybe(), axis=axis)


@maker(_OPS + "yolo_box")
def _yolo_box(context: Context) -> Data:
    classes, anchors, batch = context.integer(1, 2), [10, 13, 16, 30], context.integer(1, 2)
    aware = context.maybe(0.4)
    x = context.new([batch, 2 * (5 + classes + aware), context.integer(1, 3), context.integer(1, 3)], context.choice(("float32", "float64")), range=[-3, 3])
    sizes = context.new([batch, 2], "int32", range=[20, 60])
    more = options(context, clip_bbox=(True, False), scale_x_y=(1.05, 2.0))
    if aware:
        more.update(iou_aware=True, **options(context, iou_aware_factor=(0.3,)))
    return call(_OPS + "yolo_box", x, sizes, anchors, classes, context.choice((0.0, 0.5)), context.choice((8, 32)), **more)


@maker(NN + "interpolate")
def _interpolate(context: Context) -> Data:
    dims = context.choice((1, 2, 2, 3))
    mode = context.choice({1: ("linear", "nearest", "area"), 2: ("nearest", "bilinear", "bicubic", "area"), 3: ("trilinear", "nearest", "area")}[dims])
    x = context.new([context.integer(1, 2), context.integer(1, 2), *(context.integer(1, 5 if dims < 3 else 3) for _ in range(dims))], context.choice(("float32", "float32", "float64")))
    more: Dict[str, Any] = {"data_format": {1: "NCW", 2: "NCHW", 3: "NCDHW"}[dims]}
    choice = context.integer(0, 3)
    if choice == 0:
        more["size"] = [context.new([1], "int32", range=[1, 7]) if context.maybe() else context.integer(1, 7) for _ in range(dims)]
    elif choice == 1:
        more["size"] = context.new([dims], "int32", range=[1, 7])
    elif choice == 2:
        more["scale_factor"] = context.new(context.choice(([1], [dims])), range=[0.6, 2.5])
    else:
        more["scale_factor"] = context.choice((1.3, 0.4, 2, {"tuple": [context.number(0.5, 2.5) for _ in range(dims)]}))
    if mode not in ("nearest", "area"):
        more["align_corners"] = context.maybe()
    elif mode == "nearest" and context.maybe(0.1):
        more["align_corners"] = True
    return call(NN + "interpolate", x, mode=mode, **more, **(options(context, align_mode=(0, 1)) if "linear" in mode else {}))


@maker(*prefixed(NN, "affine_grid grid_sample"))
def _grids(context: Context, function: str) -> Data:
    dims, batch = context.choice((2, 2, 3)), context.integer(1, 2)
    dtype = context.choice(("float32", "float64"))
    spatial = [context.integer(1, 5) for _ in range(dims)]
    if function.endswith("affine_grid"):
        return call(function, context.new([batch, dims, dims + 1], dtype), context.parameter([batch, 3, *spatial]), align_corners=context.maybe())
    x = context.new([batch, context.integer(1, 2), *spatial], dtype)
    grid = context.new([batch, *(context.integer(1, 3) for _ in range(dims)), dims], dtype, range=context.choice(([-1, 1], [-3, 3])))
    return call(function, x, grid, mode=context.choice(("nearest", "bilinear")), padding_mode=context.choice(("zeros", "border", "reflection")), align_corners=context.maybe())
