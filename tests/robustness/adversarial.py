"""Files made to be slow, large in memory, or deep. Each function of the table writes one and returns the arguments of fluid2onnx."""
import json
from pathlib import Path

from models import *

MANY = 20_000
VERY_MANY = 1_000_000
HUGE = (1 << 31) - 1
BIGGEST = (1 << 63) - 1

CASES = []
# Megabytes above 4 times the file and 64 MB: objects in memory are larger than their fields in these files, which have almost nothing but
# numbers or names of one byte. Recipes may compute 5 million numbers.
MORE_MEMORY = {
    'huge_attribute_floats': 10,
    'huge_attribute_texts': 70,
    'huge_axes_slice': 20,
    'huge_dims_rank': 10,
    'long_onnx_chain_neg': 15,
    'long_recipe': 80,
    'many_json_operators': 20,
    'matrices_of_interpolation_many': 20,
    'onnx_huge_axes': 30,
    'onnx_many_nodes': 73,
}
# Files that no conversion may accept.
REFUSED = {'onnx_huge_axes': 'E_BAD_PROGRAM'}


def case(function):
    CASES.append((function.__name__, function))
    return function


def family(**arguments):
    """One case for each name: `name=(arguments)`."""
    def add(function):
        for name, given in arguments.items():
            given = given if isinstance(given, tuple) else (given,)
            CASES.append((function.__name__ + '_' + name, lambda folder, given=given: function(folder, *given)))
        return function
    return add


def paddle(folder, content, *options):
    (folder / 'm.pdmodel').write_bytes(content)
    return ['convert', folder / 'm.pdmodel', '-o', folder / 'out.onnx', *options]


def from_onnx(folder, content, *options):
    (folder / 'm.onnx').write_bytes(content)
    return ['convert', folder / 'm.onnx', '-o', folder / 'out.pdmodel', *options]


def pir(folder, content):
    content = content if isinstance(content, (str, bytes)) else json.dumps(content)
    path = folder / 'm.json'
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return ['convert', path, '-o', folder / 'out.onnx']


def spec(folder, text):
    (folder / 's.yaml').write_text(text)
    paddle(folder, program(op('relu', {'X': ['x']}, {'Out': ['y']}), variable('y')))
    return ['convert', folder / 'm.pdmodel', '-o', folder / 'out.onnx', '--spec', folder / 's.yaml']


def names(count):
    """x, v1 ... y: along a chain of `count` operators."""
    return ['x', *(f'v{i}' for i in range(1, count)), 'y']


def chain(count, make, declare=True):
    n = names(count)
    body = b''.join(make(a, b) for a, b in zip(n, n[1:]))
    declared = n[1:] if declare else ['y']
    return program(body, b''.join(variable(v) for v in declared))


def unary(type_, attrs=b''):
    return lambda a, b: op(type_, {'X': [a]}, {'Out': [b]}, attrs)


# Paddle's programs.

@family(relu='relu', tanh='tanh', abs='abs', assign='assign', shape='shape', square='square')
def long_chain(folder, type_):
    slot_ = 'Input' if type_ == 'shape' else 'X'
    return paddle(folder, chain(MANY, lambda a, b: op(type_, {slot_: [a]}, {'Out': [b]})))


@case
def long_chain_undeclared(folder):
    return paddle(folder, chain(MANY, unary('relu'), declare=False))


@case
def long_chain_in_place(folder):
    return paddle(folder, program(op('relu', {'X': ['x']}, {'Out': ['y']}) +
                                  b''.join(unary('relu')('y', 'y') for _ in range(MANY)), variable('y')))


@family(scale=('scale', float_attr('scale', 2.0)), cast=('cast', int_attr('in_dtype', 5) + int_attr('out_dtype', 5)),
        transpose=('transpose2', ints_attr('axis', [1, 0])), reshape=('reshape2', ints_attr('shape', [2, 3])),
        flip=('flip', ints_attr('axis', [0])), dropout=('dropout', bool_attr('is_test', True)))
def folded_chain(folder, type_, attrs):
    return paddle(folder, chain(MANY, unary(type_, attrs)))


@case
def constants_through_folding(folder):
    start = op('fill_constant', {}, {'Out': ['c0']},
               longs_attr('shape', [2, 3]) + float_attr('value', 1.5) + int_attr('dtype', FLOAT))
    body = b''.join(op('scale', {'X': [f'c{i}']}, {'Out': [f'c{i + 1}']}, float_attr('scale', 1.0001)) for i in range(MANY))
    end = op('elementwise_add', {'X': ['x'], 'Y': [f'c{MANY}']}, {'Out': ['y']}, int_attr('axis', -1))
    return paddle(folder, program(start + body + end, b''.join(variable(f'c{i}') for i in range(MANY + 1)) + variable('y')))


@case
def doubling_concat(folder):
    """Each operator doubles a constant: 2^40 elements."""
    start = op('fill_constant', {}, {'Out': ['c0']},
               longs_attr('shape', [2]) + float_attr('value', 1.5) + int_attr('dtype', FLOAT))
    body = b''.join(op('concat', {'X': [f'c{i}', f'c{i}']}, {'Out': [f'c{i + 1}']}, int_attr('axis', 0)) for i in range(40))
    end = op('concat', {'X': ['x', 'c40']}, {'Out': ['y']}, int_attr('axis', 0))
    return paddle(folder, program(start + body + end, b''.join(variable(f'c{i}', [1]) for i in range(41)) + variable('y', [-1]),
                                  dims=[2]))


@case
def one_variable_read_often(folder):
    body = op('sum', {'X': ['x'] * VERY_MANY}, {'Out': ['y']})
    return paddle(folder, program(body, variable('y')))


@case
def one_variable_concatenated_often(folder):
    body = op('concat', {'X': ['x'] * VERY_MANY}, {'Out': ['y']}, int_attr('axis', 0))
    return paddle(folder, program(body, variable('y', [2 * VERY_MANY, 3])))


@case
def one_variable_read_by_many(folder):
    body = b''.join(op('relu', {'X': ['x']}, {'Out': [f'v{i}']}) for i in range(MANY))
    return paddle(folder, program(body + op('sum', {'X': [f'v{i}' for i in range(MANY)]}, {'Out': ['y']}),
                                  b''.join(variable(f'v{i}') for i in range(MANY)) + variable('y')))


@case
def many_tiny_operators(folder):
    body = op('relu', {'X': ['x']}, {'Out': ['y']}) * (VERY_MANY // 10)
    return paddle(folder, program(body, variable('y')))


@case
def many_unknown_operators(folder):
    body = op('no_such', {'X': ['x']}, {'Out': ['y']}) * (VERY_MANY // 10)
    return paddle(folder, program(body, variable('y')))


@case
def many_different_unknown_operators(folder):
    body = b''.join(op(f'no_such_{i}', {'X': ['x']}, {'Out': ['y']}) for i in range(MANY))
    return paddle(folder, program(body, variable('y')))


@case
def many_refused_operators(folder):
    body = op('transpose2', {'X': ['x']}, {'Out': ['y']}, ints_attr('axis', [7, 9])) * MANY
    return paddle(folder, program(body, variable('y')))


@case
def many_variables(folder):
    return paddle(folder, program(op('relu', {'X': ['x']}, {'Out': ['y']}),
                                  b''.join(variable(f'v{i}') for i in range(VERY_MANY // 10)) + variable('y')))


@case
def many_outputs(folder):
    body = b''.join(op('relu', {'X': ['x']}, {'Out': [f'v{i}']}) + fetch(f'v{i}', i) for i in range(MANY))
    return paddle(folder, block(PORTS + variable('x') + b''.join(variable(f'v{i}') for i in range(MANY)) + feed('x') + body))


@case
def many_inputs(folder):
    n = [f'v{i}' for i in range(MANY)]
    body = b''.join(feed(v, i) for i, v in enumerate(n)) + op('sum', {'X': n}, {'Out': ['y']}) + fetch('y')
    return paddle(folder, block(PORTS + b''.join(variable(v) for v in n) + variable('y') + body))


@case
def one_output_fetched_often(folder):
    body = op('relu', {'X': ['x']}, {'Out': ['y']}) + b''.join(fetch('y', i) for i in range(MANY))
    return paddle(folder, block(PORTS + variable('x') + variable('y') + feed('x') + body))


@case
def fetch_of_a_huge_column(folder):
    body = op('relu', {'X': ['x']}, {'Out': ['y']}) + fetch('y', HUGE)
    return paddle(folder, block(PORTS + variable('x') + variable('y') + feed('x') + body))


@case
def feed_of_a_huge_column(folder):
    body = feed('x', HUGE) + op('relu', {'X': ['x']}, {'Out': ['y']}) + fetch('y')
    return paddle(folder, block(PORTS + variable('x') + variable('y') + body))


@family(ints=ints_attr('axis', [0] * VERY_MANY), longs=longs_attr('axis', [0] * VERY_MANY),
        floats=floats_attr('axis', [0.0] * VERY_MANY), texts=texts_attr('axis', [''] * VERY_MANY),
        text=text_attr('axis', 'a' * 8_000_000))
def huge_attribute(folder, content):
    body = op('transpose2', {'X': ['x']}, {'Out': ['y']}, content)
    return paddle(folder, program(body, variable('y')))


@family(reshape=('reshape2', ints_attr('shape', [1] * VERY_MANY)), unsqueeze=('unsqueeze2', ints_attr('axes', [0] * VERY_MANY)),
        tile=('tile', ints_attr('repeat_times', [1] * VERY_MANY)), expand=('expand_v2', ints_attr('shape', [1] * VERY_MANY)),
        slice=('slice', ints_attr('axes', [0] * VERY_MANY) + ints_attr('starts', [0] * VERY_MANY) + ints_attr('ends', [1] * VERY_MANY)),
        reduce=('reduce_sum', ints_attr('dim', [0] * VERY_MANY)), flip=('flip', ints_attr('axis', [0] * VERY_MANY)),
        pad=('pad', ints_attr('paddings', [0] * VERY_MANY)))
def huge_axes(folder, type_, attrs):
    slot_ = 'Input' if type_ == 'slice' else 'X'
    body = op(type_, {slot_: ['x']}, {'Out': ['y']}, attrs)
    return paddle(folder, program(body, variable('y')))


@case
def many_attributes(folder):
    body = op('relu', {'X': ['x']}, {'Out': ['y']}, b''.join(int_attr(f'a{i}', i) for i in range(VERY_MANY // 10)))
    return paddle(folder, program(body, variable('y')))


@case
def one_attribute_repeated(folder):
    body = op('relu', {'X': ['x']}, {'Out': ['y']}, int_attr('a', 1) * (VERY_MANY // 10))
    return paddle(folder, program(body, variable('y')))


@case
def many_slots(folder):
    body = op('relu', {'X': ['x'], **{f's{i}': ['x'] for i in range(VERY_MANY // 10)}}, {'Out': ['y']})
    return paddle(folder, program(body, variable('y')))


@case
def long_name(folder):
    name = 'n' * 8_000_000
    body = op('relu', {'X': ['x']}, {'Out': [name]}) + op('relu', {'X': [name]}, {'Out': ['y']})
    return paddle(folder, program(body, variable(name) + variable('y')))


@case
def long_type(folder):
    return paddle(folder, program(op('t' * 8_000_000, {'X': ['x']}, {'Out': ['y']}), variable('y')))


@case
def long_call_stack(folder):
    stack = texts_attr('op_callstack', ['  File "a.py", line 1, in f\n'] * 100_000)
    return paddle(folder, program(op('no_such', {'X': ['x']}, {'Out': ['y']}, stack), variable('y')))


@family(declared=([HUGE] * 3,), overflow=([1 << 40, 1 << 40],), most=([BIGGEST],), rank=([1] * 100_000,), negative=([-5, -7],),
        zeros=([0, BIGGEST],))
def huge_dims(folder, dims):
    return paddle(folder, program(op('relu', {'X': ['x']}, {'Out': ['y']}), variable('y', dims), dims=dims))


@family(fill=('fill_constant', 'shape', float_attr('value', 1.0) + int_attr('dtype', FLOAT)),
        uniform=('uniform_random', 'shape', int_attr('dtype', FLOAT)), gaussian=('gaussian_random', 'shape', int_attr('dtype', FLOAT)),
        eye=('eye', '', longs_attr('', []) + attr('num_rows', 9, num(13, 1 << 30)) + int_attr('dtype', FLOAT)))
def huge_constant(folder, type_, shape_, attrs):
    body = op(type_, {}, {'Out': ['c']}, (longs_attr(shape_, [1 << 20, 1 << 20]) if shape_ else b'') + attrs)
    return paddle(folder, program(body + op('elementwise_add', {'X': ['x'], 'Y': ['c']}, {'Out': ['y']}, int_attr('axis', -1)),
                                  variable('c') + variable('y')))


@case
def huge_range(folder):
    def number(name, value_):
        return op('fill_constant', {}, {'Out': [name]}, longs_attr('shape', [1]) + float_attr('value', value_) +
                  text_attr('str_value', str(int(value_))) + int_attr('dtype', INT64))
    body = number('a', 0) + number('b', 1 << 40) + number('c', 1)
    body += op('range', {'Start': ['a'], 'End': ['b'], 'Step': ['c']}, {'Out': ['y']})
    return paddle(folder, program(body, b''.join(variable(v, [1], INT64) for v in 'abc') + variable('y', [-1], INT64)))


@family(few=(1, 'relu'), many=(200, 'relu'), refused=(2, 'no_such'))
def matrices_of_interpolation(folder, count, last):
    """Each operator becomes a product with a matrix of half a million elements."""
    heights = [65_536 - i // 2 if i % 2 == 0 else 8 for i in range(count)]
    body = b''.join(op('bicubic_interp_v2', {'X': [a]}, {'Out': [b]}, text_attr('interp_method', 'bicubic') + int_attr('out_w', 8) +
                       int_attr('out_h', height)) for a, b, height in zip(names(count), names(count)[1:], heights))
    body += op(last, {'X': ['y']}, {'Out': ['z']})
    variables = b''.join(variable(v, [1, 1, -1, 8]) for v in [*names(count)[1:], 'z'])
    return paddle(folder, program(body, variables, dims=[1, 1, 8, 8], result='z'))


def in_sequence(a, b, type_):
    """A convolution of sequences, and what follows it."""
    image, wide = f'{a}.image', f'{a}.wide'
    conv = op('conv2d', {'Input': [image], 'Filter': ['w']}, {'Output': [wide]}, ints_attr('strides', [1, 1]) +
              ints_attr('paddings', [0, 0]) + ints_attr('dilations', [1, 1]) + int_attr('groups', 1))
    squeezed = f'{a}.squeezed'
    return (op('unsqueeze2', {'X': [a]}, {'Out': [image]}, ints_attr('axes', [2])) + conv +
            op('squeeze2', {'X': [wide]}, {'Out': [squeezed]}, ints_attr('axes', [2])) +
            op(type_, {'X': [squeezed]}, {'Out': [b]}))


@family(merged='relu', kept='softmax', ended='cumsum')
def long_chain_of_sequence_convolutions(folder, type_):
    count = MANY // 10
    n = names(count)
    (folder / 'm.pdiparams').write_bytes(parameter((2, 2, 1, 1)))
    variables = b''.join(variable(v, [-1, 2, 8]) for v in n[1:])
    for v in n[:-1]:
        variables += variable(f'{v}.image', [-1, 2, 1, 8]) + variable(f'{v}.wide', [-1, 2, 1, 8]) + variable(f'{v}.squeezed', [-1, 2, 8])
    return paddle(folder, program(b''.join(in_sequence(a, b, type_) for a, b in zip(n, n[1:])),
                                  variables + variable('w', [2, 2, 1, 1], persistable=True), dims=[-1, 2, 8]))


@family(few=12, more=25, most=40)
def broadcast_constants(folder, count):
    """Outer products of constants: each squares the number of elements."""
    body = op('fill_constant', {}, {'Out': ['c0']}, longs_attr('shape', [2] + [1] * count) + float_attr('value', 1.0) +
              int_attr('dtype', FLOAT))
    for i in range(count):
        body += op('expand_v2', {'X': [f'c{i}']}, {'Out': [f'c{i + 1}']}, ints_attr('shape', [2] * (i + 2) + [1] * (count - i - 1)))
    body += op('elementwise_add', {'X': [f'c{count}'], 'Y': ['x']}, {'Out': ['y']}, int_attr('axis', -1))
    return paddle(folder, program(body, b''.join(variable(f'c{i}') for i in range(count + 1)) + variable('y'), dims=[1]))


def scopes(count, parents, body=b''):
    """Blocks that nest as `parents` specifies, each run by a conditional_block of its parent."""
    out = b''
    for i in range(1, count + 1):
        inner = b''.join(conditional(j) for j in range(i + 1, count + 1) if parents(j) == i)
        out += block(variable(f'z{i}') + op('relu', {'X': ['x']}, {'Out': [f'z{i}']}) + inner + body, i, parents(i))
    return out


def conditional(sub, cond='cond'):
    return op('conditional_block', {'Cond': [cond], 'Input': ['x']}, {'Out': ['y'], 'Scope': ['scope']},
              block_attr('sub_block', sub) + bool_attr('is_scalar_condition', True))


CONDITION = (variable('cond', [1], BOOL) + variable('scope', kind=SCOPES) + variable('y'))


@family(few=20, allowed=190, more=250, many=2000)
def nested_blocks(folder, count):
    return paddle(folder, program(conditional(1), CONDITION + op('fill_constant', {}, {'Out': ['cond']}, longs_attr('shape', [1]) +
                                  float_attr('value', 1.0) + int_attr('dtype', BOOL)), more=scopes(count, lambda i: i - 1)))


@case
def block_in_itself(folder):
    return paddle(folder, program(conditional(1), CONDITION, more=block(conditional(1), 1, 0)))


@case
def blocks_in_each_other(folder):
    return paddle(folder, program(conditional(1), CONDITION, more=block(conditional(2), 1, 2) + block(conditional(1), 2, 1)))


@case
def main_block_as_body(folder):
    return paddle(folder, program(conditional(0), CONDITION))


@case
def one_block_run_often(folder):
    return paddle(folder, program(conditional(1) * 1000, CONDITION, more=block(b'', 1, 0)))


@case
def many_empty_blocks(folder):
    return paddle(folder, program(op('relu', {'X': ['x']}, {'Out': ['y']}), variable('y'),
                                  more=b''.join(block(b'', i, 0) for i in range(1, 100_001))))


@case
def many_conditional_blocks(folder):
    count = 1000
    body = b''.join(conditional(i) for i in range(1, count + 1))
    cond = op('fill_constant', {}, {'Out': ['cond']}, longs_attr('shape', [1]) + float_attr('value', 1.0) + int_attr('dtype', BOOL))
    return paddle(folder, program(cond + body, CONDITION, more=b''.join(
        block(op('relu', {'X': ['x']}, {'Out': ['y']}), i, 0) for i in range(1, count + 1))))


@family(bytes=1 << 62, length=(1 << 31) + 5)
def declared_field(folder, length):
    return paddle(folder, b'\x0a' + varint(length) + b'\x08\x00\x10' + varint(-1))


@family(parameter=([1 << 20, 1 << 20],), overflow=([1 << 40, 1 << 40],), rank=([1] * 2000,))
def declared_parameter(folder, dims):
    (folder / 'm.pdiparams').write_bytes(parameter(dims, content=b'1234'))
    return paddle(folder, with_parameter('w', dims))


@case
def many_tiny_parameters(folder):
    count = MANY
    n = [f'w{i}' for i in range(count)]
    (folder / 'm.pdiparams').write_bytes(parameter((1,)) * count)
    return paddle(folder, program(op('sum', {'X': ['x', *n]}, {'Out': ['y']}),
                                  b''.join(variable(v, (1,), persistable=True) for v in n) + variable('y', (1,)), dims=(1,)))


# Paddle 3's programs.

def pir_program(text):
    return '{"base_code":{"magic":"pir","version":1,"trainable":false},"program":{"regions":[{"#":"region_0","blocks":[{"#":"block_0","args":[],"ops":[' + text + ']}]}]}}'


@family(lists='[', objects='{"a":')
def deep_json(folder, opening):
    return pir(folder, pir_program('{"#":"0.relu","x":' + opening * 10_000))


@case
def deep_json_closed(folder):
    return pir(folder, pir_program('{"#":"p","x":' + '[' * 10_000 + ']' * 10_000 + '}'))


@case
def very_deep_json(folder):
    return pir(folder, pir_program('[' * 5_000_000))


@family(allowed=150, many=400)
def deep_regions(folder, depth):
    text = ''
    for i in range(depth):
        text = ('{"#":"1.if","I":[],"O":[],"A":[],"regions":[{"#":"r","blocks":[{"#":"b","args":[],"ops":[' + text + ']}]}]}')
    return pir(folder, pir_program(text))


@case
def deep_types(folder):
    type_ = '{"#":"0.t_vec","D":[' * 500 + ']}' * 500
    return pir(folder, pir_program('{"#":"1.relu","I":[],"O":[{"%":1,"TT":' + type_ + '}],"A":[]}'))


@case
def long_json_number(folder):
    return pir(folder, pir_program('{"#":"p","O":{"%":' + '9' * 1_000_000 + '}}'))


@case
def long_json_text(folder):
    return pir(folder, pir_program('{"#":"1.' + 'a' * 5_000_000 + '","I":[],"O":[],"A":[]}'))


@case
def many_json_operators(folder):
    return pir(folder, pir_program(','.join(['{"#":"1.no","I":[],"O":[],"A":[]}'] * 100_000)))


@case
def many_json_keys(folder):
    return pir(folder, '{"base_code":{"magic":"pir","version":1},' + ','.join(f'"k{i}":[]' for i in range(100_000)) + '}')


@case
def json_list_of_zeros(folder):
    return pir(folder, pir_program('{"#":"1.relu","I":[],"O":[],"A":[{"N":"a","AT":{"#":"0.a_array","D":[' +
                                   ','.join(['{"#":"0.a_i32","D":0}'] * 100_000) + ']}}]}'))


# ONNX models.

def onnx_chain(count, make):
    n = names(count)
    return onnx([make(a, b) for a, b in zip(n, n[1:])])


@family(relu='Relu', identity='Identity', neg='Neg', shape='Shape', size='Size')
def long_onnx_chain(folder, type_):
    return from_onnx(folder, onnx_chain(MANY, lambda a, b: node(type_, [a], [b])))


@case
def reversed_onnx_chain(folder):
    n = names(MANY)
    return from_onnx(folder, onnx([node('Relu', [a], [b]) for a, b in zip(n, n[1:])][::-1]))


@case
def cyclic_onnx(folder):
    n = [f'v{i}' for i in range(MANY)]
    return from_onnx(folder, onnx([node('Relu', [a], [b]) for a, b in zip(n, n[1:] + n[:1])] + [node('Add', ['x', 'v5'], ['y'])]))


@case
def onnx_node_that_reads_itself(folder):
    return from_onnx(folder, onnx([node('Add', ['x', 'y'], ['y'])]))


@case
def onnx_value_read_often(folder):
    return from_onnx(folder, onnx([node('Sum', ['x'] * VERY_MANY, ['y'])]))


@case
def onnx_values_missing(folder):
    return from_onnx(folder, onnx([node('Sum', [f'q{i}' for i in range(VERY_MANY // 10)], ['y'])]))


@case
def onnx_many_nodes(folder):
    return from_onnx(folder, onnx([node('Relu', ['x'], [f'v{i}']) for i in range(VERY_MANY // 20)] + [node('Relu', ['x'], ['y'])]))


@case
def onnx_doubling(folder):
    nodes = [node('Concat', [f'c{i}', f'c{i}'], [f'c{i + 1}'], data(5, data(1, 'axis') + num(3, 0) + num(20, 2))) for i in range(40)]
    return from_onnx(folder, onnx(nodes + [node('Add', ['x', 'c40'], ['y'])], [tensor('c0', [2], bytes(8))]))


@family(of_shape=('ConstantOfShape', ['s']), expand=('Expand', ['one', 's']), tile=('Tile', ['one', 's']))
def onnx_huge(folder, type_, inputs):
    size = struct.pack('<q', 1 << 40)
    return from_onnx(folder, onnx([node(type_, inputs, ['c']), node('Add', ['x', 'c'], ['y'])],
                                  [tensor('s', [1], size, dtype=7), tensor('one', [1], bytes(4))]))


@case
def onnx_huge_range(folder):
    n = [struct.pack('<q', v) for v in (0, 1 << 40, 1)]
    return from_onnx(folder, onnx([node('Range', ['a', 'b', 'c'], ['y'])], [tensor(v, [], t, dtype=7) for v, t in zip('abc', n)],
                                  outputs=[value('y', ["n"], 7)]))


@family(dims=([1 << 31, 1 << 31],), overflow=([1 << 62, 4],), negative=([-1],), rank=([1] * 100_000,), zeros=([0, BIGGEST],))
def onnx_tensor(folder, dims):
    return from_onnx(folder, onnx([node('Add', ['x', 'w'], ['y'])], [tensor('w', dims, b'1234')]))


@family(dense=([1 << 29],), beyond=([1 << 40],))
def onnx_sparse(folder, dims):
    sparse = (data(1, tensor('w', [1], b'1234')) + data(2, tensor('i', [1], bytes(8), dtype=7)) + b''.join(num(3, d) for d in dims))
    body = graph([node('Add', ['x', 'w'], ['y'])], [value('x', [1])], [value('y', dims)]) + data(15, sparse)
    return from_onnx(folder, num(1, 8) + data(7, body) + data(8, num(2, 13)))


def onnx_function(name, nodes):
    return data(1, name) + data(4, 'a') + data(5, 'b') + b''.join(data(7, n) for n in nodes) + data(9, num(2, 13)) + data(
        9, data(1, 'f') + num(2, 1)) + data(10, 'f')


@family(deep=300, exponential=40, allowed=10)
def onnx_functions(folder, depth):
    functions = []
    for i in range(depth):
        called = (f'f{i + 1}', 'f') if i + 1 < depth else ('Relu', '')
        twice = [node(called[0], ['a'], ['t'], domain=called[1]), node(called[0], ['t'], ['b'], domain=called[1])]
        functions.append(onnx_function(f'f{i}', twice if depth < 300 else [node(called[0], ['a'], ['b'], domain=called[1])]))
    return from_onnx(folder, onnx([node('f0', ['x'], ['y'], domain='f')], functions=functions, domains=['f']))


@case
def onnx_recursive_function(folder):
    return from_onnx(folder, onnx([node('f0', ['x'], ['y'], domain='f')], domains=['f'], functions=[
        onnx_function('f0', [node('f1', ['a'], ['b'], domain='f')]), onnx_function('f1', [node('f0', ['a'], ['b'], domain='f')])]))


@family(allowed=25, many=100, very_many=3000)
def onnx_graphs(folder, depth):
    body = graph([node('Relu', ['x'], ['r0'])], [], [value('r0')])
    for i in range(depth):
        inner = node('If', ['c'], [f'q{i}'], graph_attr('then_branch', body) + graph_attr('else_branch', graph(
            [node('Relu', ['x'], [f'e{i}'])], [], [value(f'e{i}')])))
        body = graph([inner], [], [value(f'q{i}')])
    top = node('If', ['c'], ['y'], graph_attr('then_branch', body) + graph_attr('else_branch', graph(
        [node('Relu', ['x'], ['e'])], [], [value('e')])))
    return from_onnx(folder, onnx([top], inputs=[value('x'), value('c', [], 9)]))


@case
def onnx_huge_axes(folder):
    return from_onnx(folder, onnx([node('Transpose', ['x'], ['y'], ints('perm', [0] * VERY_MANY))]))


@case
def onnx_huge_slice(folder):
    axes = tensor('a', [VERY_MANY // 10], bytes(8 * (VERY_MANY // 10)), dtype=7)
    return from_onnx(folder, onnx([node('Slice', ['x', 'a', 'a', 'a'], ['y'])], [axes]))


@case
def onnx_many_initializers(folder):
    n = [f'w{i}' for i in range(MANY)]
    return from_onnx(folder, onnx([node('Sum', ['x', *n], ['y'])], [tensor(v, [1], bytes(4)) for v in n]))


@case
def onnx_many_opsets(folder):
    return from_onnx(folder, onnx([node('Relu', ['x'], ['y'])], domains=[f'd{i}' for i in range(VERY_MANY // 10)]))


@case
def onnx_huge_name(folder):
    name = 'n' * 8_000_000
    return from_onnx(folder, onnx([node('Relu', ['x'], [name]), node('Relu', [name], ['y'])]))


@case
def onnx_string_tensor(folder):
    return from_onnx(folder, onnx([node('Add', ['x', 'w'], ['y'])], [tensor('w', [VERY_MANY], dtype=8, extra=data(6, '') * VERY_MANY)]))


@case
def onnx_unpacked_floats(folder):
    return from_onnx(folder, onnx([node('Add', ['x', 'w'], ['y'])], [tensor('w', [VERY_MANY], extra=f32(4, 1.0) * VERY_MANY)]))


# Specs.

SPEC = 'op: relu\ninputs: [X]\noutputs: [Out]\n'


@case
def yaml_aliases(folder):
    text = 'a0: &a0 [x, x, x, x, x, x, x, x, x]\n'
    for i in range(1, 10):
        text += f'a{i}: &a{i} [' + ', '.join([f'*a{i - 1}'] * 9) + ']\n'
    return spec(folder, text)


@case
def yaml_alias_of_itself(folder):
    return spec(folder, 'nodes: &a [*a]\n')


@family(lists='[', maps='{a: ', dashes='- ')
def deep_yaml(folder, opening):
    return spec(folder, SPEC + 'nodes: ' + opening * 10_000 + '\n')


@family(parentheses='(', minus='-', nots='not ', calls='Relu(', lists='[')
def deep_expression(folder, opening):
    closing = {'(': ')', 'Relu(': ')', '[': ']'}.get(opening, '')
    return spec(folder, SPEC + 'nodes:\n  - Out = ' + opening * 10_000 + 'X' + closing * 10_000 + '\n')


@family(add='+', multiply='*', power='**', ands='and', compare='<')
def long_expression(folder, operator):
    return spec(folder, SPEC + 'nodes:\n  - Out = X' + f' {operator} X' * 20_000 + '\n')


@case
def long_recipe(folder):
    return spec(folder, SPEC + 'nodes:\n  - t0 = Relu(X)\n' + ''.join(f'  - t{i + 1} = Relu(t{i})\n' for i in range(20_000)) + '  - Out = t20000\n')


@case
def many_yaml_keys(folder):
    return spec(folder, ''.join(f'k{i}: 1\n' for i in range(20_000)))


@case
def recursive_function_in_spec(folder):
    return spec(folder, SPEC + 'functions:\n  f:\n    params: [a]\n    result: f(a)\nnodes:\n  - Out = f(X)\n')


@case
def long_yaml_text(folder):
    return spec(folder, SPEC + 'doc: "' + 'a' * 5_000_000 + '"\nnodes: [Out = Relu(X)]\n')


@case
def yaml_of_zero_bytes(folder):
    return spec(folder, '\0' * 1_000_000)


@case
def yaml_of_brackets(folder):
    return spec(folder, '[]{}:,-?!&*|>%@`#"\'' * 50_000)
