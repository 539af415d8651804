"""Makes the models that the benchmark converts: real Paddle, random weights.

    models.py FOLDER NAME...

Each model is FOLDER/NAME.pdmodel and FOLDER/NAME.pdiparams; those that exist are kept.
"""
import os
import struct
import sys

import numpy as np
import paddle
from paddle import nn
from paddle.static import InputSpec


def layer(make, *shapes):
    def save(prefix):
        paddle.disable_static()
        paddle.seed(1)
        net = make()
        net.eval()
        specs = [InputSpec(shape, "float32", f"x{i}") for i, shape in enumerate(shapes)]
        paddle.jit.save(net, prefix, input_spec=specs)

    return save


class ViT(nn.Layer):
    """ViT-B/16."""

    def __init__(self, width=768, depth=12, heads=12, patches=196):
        super().__init__()
        self.patch = nn.Conv2D(3, width, 16, 16)
        self.token = self.create_parameter([1, 1, width])
        self.position = self.create_parameter([1, patches + 1, width])
        block = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", normalize_before=True)
        self.encoder = nn.TransformerEncoder(block, depth, nn.LayerNorm(width))
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose([0, 2, 1])
        x = paddle.concat([self.token.expand([x.shape[0], -1, -1]), x], 1) + self.position
        return self.head(self.encoder(x)[:, 0])


def write_parameter(file, dims, rng):
    """One tensor as Paddle stores it (LoD, version, description, elements), a few MB at a time; a hole without `rng`."""
    varint = lambda n: bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])
    description = b"\x08\x05" + b"".join(b"\x10" + varint(d) for d in dims)
    file.write(struct.pack("<IQIi", 0, 0, 0, len(description)) + description)
    left = int(np.prod(dims))
    if rng is None:
        file.truncate(file.seek(4 * left, os.SEEK_CUR))
        return
    while left:
        part = rng.standard_normal(min(left, 1 << 20), dtype=np.float32) * np.float32(0.02)
        file.write(part.tobytes())
        left -= part.size


def static(build, holes=False):
    """A program built by calls of Paddle. Its parameters never exist in memory."""

    def save(prefix):
        paddle.enable_static()
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
            inputs, outputs = build()
            main = paddle.static.normalize_program(main, inputs, outputs)
        rng = None if holes else np.random.default_rng(1)
        parameters = {v.name: v.shape for v in main.list_vars() if v.persistable and v.name not in ("feed", "fetch")}
        with open(prefix + ".pdiparams", "wb") as file:
            for name in sorted(parameters):
                write_parameter(file, parameters[name], rng)
        with open(prefix + ".pdmodel", "wb") as file:
            file.write(paddle.static.serialize_program(inputs, outputs, program=main))

    return save


def transformer(layers, holes=False, width=1024, heads=16, length=64):
    def build():
        fc = lambda x, size: paddle.static.nn.fc(x, size, num_flatten_dims=2)
        norm = lambda x: paddle.static.nn.layer_norm(x, begin_norm_axis=2)
        split = lambda t: paddle.transpose(paddle.reshape(t, [0, length, heads, width // heads]), [0, 2, 1, 3])
        x = x0 = paddle.static.data("x0", [-1, length, width])
        for _ in range(layers):
            h = norm(x)
            q, k, v = (split(fc(h, width)) for _ in range(3))
            a = nn.functional.softmax(paddle.matmul(q, k, transpose_y=True) * (width // heads) ** -0.5)
            a = paddle.reshape(paddle.transpose(paddle.matmul(a, v), [0, 2, 1, 3]), [0, length, width])
            x = x + fc(a, width)
            x = x + fc(nn.functional.gelu(fc(norm(x), 4 * width)), width)
        return [x0], [norm(x)]

    return static(build, holes)


def operators(count, width=16):
    """Small layers in a row up to a number of operators. Paddle needs long for many: the first thousand are
    repeated, each time with parameters of their own."""

    def build():
        x = x0 = paddle.static.data("x0", [-1, 8, width])
        block = paddle.static.default_main_program().global_block()
        while len(block.ops) < 1000:
            h = paddle.static.nn.fc(x, width, num_flatten_dims=2, activation="relu")
            h = paddle.transpose(h, [0, 2, 1])
            h = paddle.reshape(nn.functional.softmax(h), [0, width, 8])
            x = x + paddle.tanh(paddle.transpose(h, [0, 2, 1]) * 0.5)
        return [x0], [x]

    def save(prefix):
        static(build)(prefix)
        if count > 1000:
            repeat(prefix, count // 1000)

    return save


def repeat(prefix, times):
    """Repeats a program a number of times."""
    from paddle.base.proto import framework_pb2

    program = framework_pb2.ProgramDesc()
    with open(prefix + ".pdmodel", "rb") as file:
        program.ParseFromString(file.read())
    block = program.blocks[0]
    ends = [op for op in block.ops if op.type in ("feed", "fetch")]
    ops = [op for op in block.ops if op.type not in ("feed", "fetch")]
    first, last = ends[0].outputs[0].arguments[0], ends[-1].inputs[0].arguments[0]
    ports = {"feed", "fetch", first}
    kept = [v for v in block.vars if v.name in ports]
    inner = [v for v in block.vars if v.name not in ports]
    before, after = [op for op in ends if op.type == "feed"], [op for op in ends if op.type == "fetch"]
    del block.vars[:], block.ops[:]
    block.vars.extend(kept)
    block.ops.extend(before)
    for turn in range(times):
        name = lambda n: (first if turn == 0 else f"{turn - 1}/{last}") if n == first else f"{turn}/{n}"
        for variable in inner:
            block.vars.add().CopyFrom(variable)
            block.vars[-1].name = name(variable.name)
        for op in ops:
            block.ops.add().CopyFrom(op)
            for slot in [*block.ops[-1].inputs, *block.ops[-1].outputs]:
                slot.arguments[:] = [name(a) for a in slot.arguments]
    block.ops.extend(after)
    block.ops[-1].inputs[0].arguments[:] = [f"{times - 1}/{last}"]
    with open(prefix + ".pdmodel", "wb") as file:
        file.write(program.SerializeToString())
    # The parameters are stored in the order of their names: all of one repetition, then all of the next.
    shapes = {v.name: list(v.type.lod_tensor.tensor.dims) for v in block.vars if v.persistable and v.name not in ports}
    rng = np.random.default_rng(1)
    with open(prefix + ".pdiparams", "wb") as file:
        for parameter in sorted(shapes):
            write_parameter(file, shapes[parameter], rng)


MODELS = {
    "resnet50": layer(paddle.vision.models.resnet50, [None, 3, 224, 224]),
    "vit_b": layer(ViT, [1, 3, 224, 224]),
    "transformer_2.5GB": transformer(50),
    "transformer_10GB_sparse": transformer(32, holes=True, width=2560, heads=32),  # as large as GPT-3's of 2.7e9 parameters
    "operators_1k": operators(1000),
    "operators_10k": operators(10_000),
    "operators_100k": operators(100_000),
}
ZOO = "densenet121 googlenet inception_v3 mobilenet_v2 mobilenet_v3_large resnext50_32x4d shufflenet_v2_x1_0 squeezenet1_1 vgg11"
MODELS.update({"zoo_" + name: layer(getattr(paddle.vision.models, name), [None, 3, 224, 224]) for name in ZOO.split()})


def main(folder, *names):
    os.makedirs(folder, exist_ok=True)
    for name in names or MODELS:
        prefix = os.path.join(folder, name)
        if os.path.exists(prefix + ".pdmodel"):
            continue
        print("making", name, flush=True)
        MODELS[name](prefix)


if __name__ == "__main__":
    main(*sys.argv[1:])
