"""Programs and ONNX models written field by field, so that they can be as wrong as a test wants."""
import struct


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def num(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def repeated(write, field, values):
    """A field for each value; equal ones are written once and copied."""
    written = {v: write(field, v) for v in set(values)}
    return b''.join(map(written.__getitem__, values))


def f32(field, value):
    return varint(field << 3 | 5) + struct.pack('<f', value)


# Paddle's ProgramDesc.
BOOL, INT32, INT64, FLOAT = 0, 2, 3, 5
DENSE, FEED, FETCH, SCOPES, ARRAY = 7, 9, 10, 11, 13


def tensor_desc(dims, dtype=FLOAT):
    return num(1, dtype) + repeated(num, 2, dims)


def variable(name, dims=(2, 3), dtype=FLOAT, persistable=False, kind=DENSE):
    type_ = num(1, kind)
    if kind == DENSE:
        type_ += data(3, data(1, tensor_desc(dims, dtype)))
    elif kind == ARRAY:
        type_ += data(4, data(1, tensor_desc(dims, dtype)))
    return data(3, data(1, name) + data(2, type_) + num(3, persistable))


def slot(field, name, args):
    return data(field, data(1, name) + repeated(data, 2, args))


def attr(name, kind, payload):
    return data(4, data(1, name) + num(2, kind) + payload)


def int_attr(name, value):
    return attr(name, 0, num(3, value))


def float_attr(name, value):
    return attr(name, 1, f32(4, value))


def ints_attr(name, values):
    return attr(name, 3, repeated(num, 6, values))


def longs_attr(name, values):
    return attr(name, 11, repeated(num, 15, values))


def floats_attr(name, values):
    return attr(name, 4, repeated(f32, 7, values))


def text_attr(name, value):
    return attr(name, 2, data(5, value))


def texts_attr(name, values):
    return attr(name, 5, repeated(data, 8, values))


def bool_attr(name, value):
    return attr(name, 6, num(10, value))


def block_attr(name, value):
    return attr(name, 8, num(12, value))


def op(type_, inputs=None, outputs=None, attrs=b''):
    return data(4, b''.join(slot(1, k, v) for k, v in (inputs or {}).items()) +
                b''.join(slot(2, k, v) for k, v in (outputs or {}).items()) + data(3, type_) + attrs)


def block(body, index=0, parent=-1):
    return data(1, num(1, index) + num(2, parent) + body)


def feed(name, column=0):
    return op('feed', {'X': ['feed']}, {'Out': [name]}, int_attr('col', column))


def fetch(name, column=0):
    return op('fetch', {'X': [name]}, {'Out': ['fetch']}, int_attr('col', column))


PORTS = variable('feed', kind=FEED, persistable=True) + variable('fetch', kind=FETCH, persistable=True)


def program(body, variables=b'', more=b'', source='x', result='y', dims=(2, 3), dtype=FLOAT):
    """The program that reads `source` and returns `result`; `body` has its operators, `more` further blocks."""
    main = PORTS + variable(source, dims, dtype) + variables + feed(source) + body + fetch(result)
    return block(main) + more + data(4, num(1, 0))


def parameter(dims=(2, 3), dtype=FLOAT, size=4, content=None):
    """A tensor as parameter files have it."""
    desc = tensor_desc(dims, dtype)
    count = 1
    for d in dims:
        count *= d
    content = bytes(count * size) if content is None else content
    return struct.pack('<IQIi', 0, 0, 0, len(desc)) + desc + content


def with_parameter(name, dims=(2, 3)):
    """y = x + parameter."""
    body = op('elementwise_add', {'X': ['x'], 'Y': [name]}, {'Out': ['y']}, int_attr('axis', -1))
    return program(body, variable(name, dims, persistable=True) + variable('y', dims), dims=dims)


# ONNX.
def node(type_, inputs, outputs, attrs=b'', domain=''):
    return (repeated(data, 1, inputs) + repeated(data, 2, outputs) + data(4, type_) + attrs +
            (data(7, domain) if domain else b''))


def shape(dims):
    return b''.join(data(1, num(1, d) if isinstance(d, int) else data(2, d)) for d in dims)


def value(name, dims=(2, 3), dtype=1):
    return data(1, name) + data(2, data(1, num(1, dtype) + data(2, shape(dims))))


def tensor(name, dims, raw=None, dtype=1, external=None, extra=b''):
    out = repeated(num, 1, dims) + num(2, dtype) + data(8, name) + extra
    if raw is not None:
        out += data(9, raw)
    if external is not None:
        out += b''.join(data(13, data(1, k) + data(2, v)) for k, v in external.items()) + num(14, 1)
    return out


def graph(nodes, inputs=(), outputs=(), tensors=()):
    return (b''.join(data(1, n) for n in nodes) + data(2, 'g') + b''.join(data(5, t) for t in tensors) +
            repeated(data, 11, inputs) + repeated(data, 12, outputs))


def onnx(nodes, tensors=(), inputs=None, outputs=None, functions=(), opset=13, domains=()):
    inputs = [value('x')] if inputs is None else inputs
    outputs = [value('y')] if outputs is None else outputs
    imports = data(8, num(2, opset)) + b''.join(data(8, data(1, d) + num(2, 1)) for d in domains)
    return (num(1, 8) + data(7, graph(nodes, inputs, outputs, tensors)) + imports +
            b''.join(data(25, f) for f in functions))


def graph_attr(name, body):
    return data(5, data(1, name) + data(6, body) + num(20, 5))


def ints(name, values):
    return data(5, data(1, name) + repeated(num, 8, values) + num(20, 7))


def with_data(location, offset=None, length=None):
    """y = x + w, whose elements are in another file."""
    external = {'location': location}
    if offset is not None:
        external['offset'] = str(offset)
    if length is not None:
        external['length'] = str(length)
    return onnx([node('Add', ['x', 'w'], ['y'])], [tensor('w', (2, 3), external=external)])
