"""The networks of the model tests. Importing this module imports Paddle."""
from typing import Any, Callable, Dict, List, NamedTuple, Sequence

import numpy as np
import paddle
from paddle import nn
from paddle.base.layer_helper import LayerHelper
from paddle.static import InputSpec

Arrays = List[np.ndarray]


class Network(NamedTuple):
    """A layer, the inputs that it is saved with, and functions of a size (1, 2 ...) that give concrete inputs."""

    layer: nn.Layer
    spec: Sequence[InputSpec]
    draw: Callable[[np.random.Generator, int], Arrays]


# Side of the square input, where 64 is not what the network was made for.
_SIDES = {"alexnet": 224, "googlenet": 224, "inception_v3": 299, "vgg11": 224, "vgg13": 224, "vgg16": 224, "vgg19": 224}
_MODULES = {"AlexNet", "DenseNet", "GoogLeNet", "InceptionV3", "LeNet", "MobileNetV1", "MobileNetV2", "MobileNetV3Large",
            "MobileNetV3Small", "ResNet", "ShuffleNetV2", "SqueezeNet", "VGG"}


def classifiers() -> List[str]:
    """Every function of paddle.vision.models that makes a classifier, and LeNet, which is a class."""
    names = [name for name in paddle.vision.models.__all__ if name not in _MODULES]
    return sorted([*names, "LeNet"])


def classifier(name: str) -> Network:
    """A classifier with random weights, and statistics of the activations that these give."""
    layer = getattr(paddle.vision.models, name)()
    channels, side = (1, 28) if name == "LeNet" else (3, _SIDES.get(name, 64))

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        return [rng.standard_normal((size, channels, side, side)).astype("float32")]

    _calibrate(layer, draw(np.random.default_rng(1), 4)[0])
    return Network(layer, [InputSpec([None, channels, side, side], "float32", "image")], draw)


def _calibrate(layer: nn.Layer, image: np.ndarray) -> None:
    """Gives batch normalisations the statistics of one batch: with the initial ones, deep networks overflow or vanish.

    The last one of a residual branch gets a small scale: else a random network of a hundred layers turns a rounding
    error into a visible difference.
    """
    rng = np.random.default_rng(2)
    norms = [part for part in layer.sublayers() if isinstance(part, nn.BatchNorm2D)]
    for norm in norms:
        norm._momentum = 0.0
        norm.weight.set_value(rng.uniform(0.5, 1.5, norm.weight.shape).astype("float32"))
        norm.bias.set_value(rng.uniform(-0.2, 0.2, norm.bias.shape).astype("float32"))
    for block in layer.sublayers():
        if hasattr(block, "downsample"):
            last = block.bn3 if hasattr(block, "bn3") else block.bn2
            last.weight.set_value(last.weight * 0.2)
            last.bias.set_value(last.bias * 0.2)
    if norms:
        layer.train()
        with paddle.no_grad():
            layer(paddle.to_tensor(image))


class _Encoder(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(100, 32)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, activation="gelu"), 2)
        self.head = nn.Linear(32, 10)

    def forward(self, ids: Any, mask: Any) -> Any:
        return self.head(self.encoder(self.embedding(ids), mask))


def transformer_encoder() -> Network:
    """Embedding, two encoder layers with an additive mask, a linear head; batch and length are open."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        length = 4 + 3 * size
        mask = np.where(rng.random((size, 1, 1, length)) < 0.2, -1e4, 0.0).astype("float32")
        return [rng.integers(0, 100, (size, length)), mask]

    spec = [InputSpec([None, None], "int64", "ids"), InputSpec([None, 1, 1, None], "float32", "mask")]
    return Network(_Encoder(), spec, draw)


class _LanguageModel(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(100, 24)
        self.lstm = nn.LSTM(24, 32, num_layers=2)
        self.head = nn.Linear(32, 100)

    def forward(self, ids: Any, h: Any, c: Any) -> Any:
        y, (h, c) = self.lstm(self.embedding(ids), (h, c))
        return self.head(y), h, c


def lstm_language_model() -> Network:
    """A stacked LSTM whose states are inputs and outputs; batch and length are open."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        states = rng.standard_normal((2, 2, size, 32)).astype("float32")
        return [rng.integers(0, 100, (size, 3 + 2 * size)), states[0], states[1]]

    state = [InputSpec([2, None, 32], "float32", name) for name in ("h", "c")]
    return Network(_LanguageModel(), [InputSpec([None, None], "int64", "ids"), *state], draw)


class _Recurrent(nn.Layer):
    def __init__(self, kind: str, **options: Any) -> None:
        super().__init__()
        self.rnn = getattr(nn, kind)(12, 16, **options)

    def forward(self, x: Any, lengths: Any = None) -> Any:
        y, state = self.rnn(x, sequence_length=lengths)
        return (y, *state) if isinstance(state, (tuple, list)) else (y, state)


def _recurrent(kind: str, lengths: bool = False, **options: Any) -> Network:
    def draw(rng: np.random.Generator, size: int) -> Arrays:
        steps = 4 + size
        arrays = [rng.standard_normal((size + 1, steps, 12)).astype("float32")]
        if lengths:
            arrays.append(rng.integers(1, steps + 1, size + 1))
        return arrays

    spec = [InputSpec([None, None, 12], "float32", "x")]
    if lengths:
        spec.append(InputSpec([None], "int64", "lengths"))
    return Network(_Recurrent(kind, **options), spec, draw)


class _While(nn.Layer):
    """Repeats a layer; an input has the number of iterations. Stops when the values are large."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x: Any, turns: Any) -> Any:
        i = paddle.zeros([1], "int64")
        while (i < turns) and paddle.max(paddle.abs(x)) < 100.0:
            x = x + paddle.tanh(self.linear(x)) * 3.0
            i = i + 1
        return x, i


def while_loop() -> Network:
    """A loop with a condition on data."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        return [rng.standard_normal((size, 8)).astype("float32"), np.array([3 * size], "int64")]

    return Network(_While(), [InputSpec([None, 8], "float32", "x"), InputSpec([1], "int64", "turns")], draw)


class _Branch(nn.Layer):
    """Two branches with weights of their own, one of them with a branch inside."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 6), nn.Linear(8, 6)

    def forward(self, x: Any, flag: Any) -> Any:
        if flag > 0:
            y = self.first(x)
        else:
            y = self.second(x) * 2.0
            if paddle.mean(y) > 0:
                y = y - 1.0
        return y + 1.0


def branches() -> Network:
    """Both sides are taken, by the two sets of inputs."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        return [rng.standard_normal((size, 8)).astype("float32"), np.array([1 if size == 1 else -1], "int64")]

    return Network(_Branch(), [InputSpec([None, 8], "float32", "x"), InputSpec([1], "int64", "flag")], draw)


class _Stem(nn.Layer):
    """Pools that keep the size, as PP-HGNetV2 begins, and others that do not, whatever the size."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2D(3, 8, 3, 2, padding=1)
        self.second, self.third = nn.Conv2D(8, 4, 2, padding="SAME"), nn.Conv2D(4, 8, 2, padding="SAME")
        self.pool = nn.MaxPool2D(2, 1, padding="SAME", ceil_mode=True)

    def forward(self, x: Any) -> Any:
        x = self.first(x)
        x = paddle.concat([self.pool(x), self.third(self.second(x))], axis=1)
        y = nn.functional.max_pool2d(x, 1, 2, padding="SAME")
        z = nn.functional.avg_pool2d(x, 3, 2, padding="SAME", ceil_mode=True, exclusive=False)
        return paddle.concat([y, z], axis=1)


def stem() -> Network:
    """Sizes are open, and odd as well as even."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        return [rng.standard_normal((size, 3, 32 + size, 47 - size)).astype("float32")]

    return Network(_Stem(), [InputSpec([None, 3, None, None], "float32", "x")], draw)


class _Branches(nn.Layer):
    """Blocks of parallel convolutions, as they are trained: RepVGG, PP-LCNetV2 and ACNet."""

    def __init__(self) -> None:
        super().__init__()

        def conv(inputs: int, kernel: Any, padding: Any, stride: int = 1, groups: int = 1) -> nn.Layer:
            return nn.Sequential(nn.Conv2D(inputs, 8, kernel, stride, padding, groups=groups, bias_attr=False), nn.BatchNorm2D(8))

        self.first = nn.LayerList([conv(3, 3, 1, stride=2), conv(3, 1, 0, stride=2)])
        self.second = nn.LayerList([conv(8, 3, 1, groups=2), conv(8, 1, 0, groups=2), nn.BatchNorm2D(8)])
        self.third = nn.LayerList([conv(8, 5, 2, groups=8), conv(8, 3, 1, groups=8), conv(8, 1, 0, groups=8)])
        self.fourth = nn.LayerList([conv(8, (1, 3), (0, 1)), conv(8, 3, 1), conv(8, (3, 1), (1, 0))])

    def forward(self, x: Any) -> Any:
        for branches in (self.first, self.second, self.third, self.fourth):
            total = branches[0](x)
            for branch in branches[1:]:
                total = total + branch(x)
            x = nn.functional.relu(total)
        return x


def parallel_convolutions() -> Network:
    """Branches whose sum becomes one convolution."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        return [rng.standard_normal((size, 3, 16, 16)).astype("float32")]

    paddle.seed(1)
    layer = _Branches()
    _calibrate(layer, np.random.default_rng(1).standard_normal((2, 3, 16, 16)).astype("float32"))
    return Network(layer, [InputSpec([None, 3, 16, 16], "float32", "x")], draw)


class _SequenceConvolutions(nn.Layer):
    """Convolutions of sequences between everything that follows them in networks for speech: as in ECAPA-TDNN, temporal
    convolutional networks, WaveNet and U-Nets."""

    def __init__(self) -> None:
        super().__init__()

        def conv(inputs: int, outputs: int, kernel: int = 3, padding: int = 1, **options: int) -> nn.Layer:
            return nn.Sequential(nn.Conv1D(inputs, outputs, kernel, padding=padding, **options), nn.BatchNorm1D(outputs))

        self.first, self.residual, self.depthwise = conv(5, 8), conv(8, 8), conv(8, 8, groups=8)
        self.parts = nn.LayerList([conv(2, 2, padding=dilation, dilation=dilation) for dilation in (1, 2, 3)])
        self.squeeze, self.excite = nn.Conv1D(8, 4, 1), nn.Conv1D(4, 8, 1)
        self.causal = nn.Conv1D(8, 8, 3, padding=4, dilation=2)
        self.gated, self.unpadded = nn.Conv1D(8, 16, 3, padding=1), conv(8, 8, padding=0)
        self.up, self.slope, self.last = nn.Conv1DTranspose(8, 8, 2, stride=2), nn.PReLU(8), nn.Conv1D(16, 4, 1)

    def forward(self, x: Any) -> Any:
        f = nn.functional
        x = f.relu(self.first(x))
        x = f.relu(self.residual(x) + x)
        pieces = paddle.split(f.silu(self.depthwise(x)), 4, axis=1)
        for i, part in enumerate(self.parts):
            pieces[i + 1] = f.relu(part(pieces[i + 1] + pieces[i]))
        x = paddle.concat(pieces, axis=1) + x
        x = x * f.sigmoid(self.excite(f.relu(self.squeeze(f.adaptive_avg_pool1d(x, 1)))))
        x = f.leaky_relu(self.causal(x)[:, :, :-4]) + x
        left, right = paddle.chunk(self.gated(x), 2, axis=1)
        x = (f.tanh(left) * f.sigmoid(right) + x) * 0.7071
        x = f.relu(self.unpadded(f.pad(x, [2, 0], data_format="NCL")))
        wide = self.slope(self.up(f.max_pool1d(x, 2)))
        return f.softmax(self.last(paddle.concat([wide, x], axis=1)), axis=1), x.mean(axis=2)


def sequence_convolutions() -> Network:
    """Paddle's Conv1D is Conv2D between unsqueeze2 and squeeze2."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        return [rng.standard_normal((size, 5, 16 + 2 * size)).astype("float32")]

    paddle.seed(1)
    layer = _SequenceConvolutions()
    _calibrate(layer, np.random.default_rng(1).standard_normal((2, 5, 20)).astype("float32"))
    return Network(layer, [InputSpec([None, 5, None], "float32", "x")], draw)


class _Fusions(nn.Layer):
    """What ONNX Runtime's optimiser gets wrong, written straightforwardly: see tests/onnxruntime."""

    def forward(self, x: Any, v: Any, mask: Any) -> Any:
        f = nn.functional
        volume = x.transpose([0, 3, 1, 2]).unsqueeze(1) - 2.0
        pooled = f.max_pool3d(f.pad(volume, [1] * 6, data_format="NCDHW"), 3, 2)
        twice = f.max_pool3d(f.pad(volume, [1, 2] * 3, data_format="NCDHW"), 3, 2, padding=1)
        mean = f.avg_pool3d(f.pad(volume, [2] * 6, data_format="NCDHW"), 2, 2)
        matrix = x.flatten(0, 2)
        products = paddle.mv(matrix.t(), v), paddle.matmul(matrix.transpose([1, 0]) * 2.0, v)
        counts = paddle.matmul(mask.transpose([1, 2, 0, 3]).astype("float32"), paddle.full([3, 4], 0.5))
        backwards = paddle.gather(x, paddle.arange(paddle.shape(x)[0] - 1, -1, -1))
        resized = f.interpolate(x, size=[6, 10], mode="bilinear", data_format="NHWC")
        cubic = f.interpolate(x, size=[7, 3], mode="bicubic", data_format="NHWC")
        return (pooled, twice, mean, *products, counts, backwards, resized, cubic)


def fusions() -> Network:
    """Pads before pools, transposed matrices by vectors, casts of transposed masks, ranges that run backwards, resizing with channels last."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        x = rng.standard_normal((size, 5, 6, 3)).astype("float32")
        return [x, rng.standard_normal(30 * size).astype("float32"), x > 0]

    spec = [InputSpec([None, 5, 6, 3], "float32", "x"), InputSpec([None], "float32", "v"), InputSpec([None, 5, 6, 3], "bool", "mask")]
    return Network(_Fusions(), spec, draw)


class _DetectionHead(nn.Layer):
    """Distances as expected values of distributions (DFL), as a product with a vector, and suppression per class."""

    BINS, CLASSES = 8, 3

    def __init__(self) -> None:
        super().__init__()
        self.scores, self.distances = nn.Conv2D(4, self.CLASSES, 1), nn.Conv2D(4, 4 * self.BINS, 1)
        self.register_buffer("bins", paddle.linspace(0, self.BINS - 1, self.BINS))
        rows, columns = np.meshgrid(np.arange(8), np.arange(8), indexing="ij")
        self.register_buffer("centres", paddle.to_tensor(np.stack([columns, rows], -1).reshape(1, 64, 2).astype("float32")))

    def forward(self, x: Any) -> Any:
        scores = nn.functional.sigmoid(self.scores(x)).flatten(2)
        distances = self.distances(x).flatten(2).transpose([0, 2, 1]).reshape([-1, 64, 4, self.BINS])
        sides = paddle.matmul(nn.functional.softmax(distances), self.bins)
        boxes = paddle.concat([self.centres - sides[:, :, :2], self.centres + sides[:, :, 2:]], axis=2)
        helper = LayerHelper("multiclass_nms3")
        kept = helper.create_variable_for_type_inference("float32")
        index, count = (helper.create_variable_for_type_inference("int32") for _ in range(2))
        attributes = {"background_label": -1, "score_threshold": 0.3, "nms_top_k": 40, "nms_threshold": 0.5, "nms_eta": 1.0, "keep_top_k": 20, "normalized": True}
        helper.append_op(type="multiclass_nms3", inputs={"BBoxes": boxes, "Scores": scores}, outputs={"Out": kept, "Index": index, "NmsRoisNum": count}, attrs=attributes)
        return kept, count


def detection_head() -> Network:
    """As at the end of PP-YOLOE and PicoDet."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        return [rng.standard_normal((size, 4, 8, 8)).astype("float32") * 2.0]

    return Network(_DetectionHead(), [InputSpec([None, 4, 8, 8], "float32", "x")], draw)


OTHERS: Dict[str, Callable[[], Network]] = {
    "transformer_encoder": transformer_encoder,
    "lstm_language_model": lstm_language_model,
    "gru": lambda: _recurrent("GRU", num_layers=2),
    "simple_rnn": lambda: _recurrent("SimpleRNN"),
    "bidirectional_lstm_with_lengths": lambda: _recurrent("LSTM", lengths=True, direction="bidirect"),
    "bidirectional_gru_with_lengths": lambda: _recurrent("GRU", lengths=True, direction="bidirect"),
    "while": while_loop,
    "if": branches,
    "stem": stem,
    "parallel_convolutions": parallel_convolutions,
    "sequence_convolutions": sequence_convolutions,
    "fusions": fusions,
    "detection_head": detection_head,
}


def static_vgg() -> "tuple[Any, Any, List[Any], List[Any]]":
    """A small VGG made by the static graph's functions: (main program, startup program, inputs, outputs)."""
    main, startup = paddle.static.Program(), paddle.static.Program()
    main.random_seed = startup.random_seed = 1
    with paddle.static.program_guard(main, startup):
        image = paddle.static.data("image", [None, 3, 32, 32], "float32")
        x = image
        for block, channels in enumerate((16, 32, 64)):
            for _ in range(2):
                x = paddle.static.nn.conv2d(x, channels, 3, padding=1, act=None)
                x = paddle.static.nn.batch_norm(x, act="relu", is_test=True)
            x = nn.functional.max_pool2d(x, 2, 2)
            x = nn.functional.dropout(x, 0.1 * (block + 1), training=False)
        x = paddle.static.nn.fc(x, 64, activation="relu")
        x = paddle.static.nn.fc(x, 10, activation="softmax")
    return main, startup, [image], [x]
