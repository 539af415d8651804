#include "generator/spec/keys.h"

#include <map>

#include "generator/diagnostics/text.h"

namespace opgen {

std::vector<std::string> KeySet::names() const { return names_of(keys); }

namespace keys {

// The order of keys is that of the reference page and of messages.
// clang-format off

const KeySet op{
    "operator", "an operator",
    {{"op", false, "operator_name",
      "The operator type. A name with a capital letter is an ONNX operator, which the recipe expresses by Paddle operators",
      "op: leaky_relu"},
     {"for_each", false, "table",
      "Instead of `op`: a template, one operator per row",
      "for_each: {abs: Abs, ceil: Ceil}"},
     {"doc", true, "sentence",
      "What the operator computes, for the support matrix: one line, starts with a capital letter (or a symbol such as x), no full stop",
      "doc: Linear with a small slope below zero"},
     {"inputs", false, "slots",
      "The input slots that the recipe uses. The converter refuses a model that fills an unlisted optional input. An operator that the facts do not have needs every input with its type; `refused` marks one that no model may fill",
      "inputs: [X, Bias]"},
     {"outputs", false, "slots",
      "The output slots that the recipe assigns. An output that the operator always has must be listed or ignored; bookkeeping outputs (`XShape`, `Mask`) can be omitted. An operator that the facts do not have needs every output with its type",
      "outputs: [Out]"},
     {"attrs", false, "attributes",
      "Attributes, as values known while converting. An operator that the facts do not have needs every attribute with its type and default",
      "attrs: [axis]"},
     {"params", false, "parameters",
      "Attributes that may also be a tensor or a list of tensors: one value of type `dims`, `dim`, `scalars` or `scalar`",
      "params: {shape: int_array}"},
     {"ignore", false, "reasons",
      "Attributes and slots that do not matter, with the reason. Every attribute must be in `attrs`, `params`, `layout` or here, and every listed name must be used: in a template, by one row",
      "ignore: {seed: inference draws nothing}"},
     {"require", false, "requirements",
      "Conditions, or calls of functions without results; the operator is refused if one does not hold",
      "require: [one_level(X)]"},
     {"layout", false, "layout",
      "The slots have channels last if the attribute is NHWC, NDHWC or NLC. The recipe sees channels first; opgen inserts transposes, and cancels them where possible",
      "layout: {data_format: [Input, Output]}"},
     {"complex", false, "names",
      "Operands that may be complex",
      "complex: [X]"},
     {"let", false, "bindings",
      "Named expressions, evaluated in order and before `require`. Expressions that are valid for some dtypes only belong in the recipe",
      "let: {n: dim(X, 0)}"},
     {"lod", false, "bindings",
      "Sequence lengths (LoD) of results that do not inherit them: one tensor per level, outermost first; for a list output, one such list per tensor",
      "lod: {Out: \"lod(X)[:1]\"}"},
     {"nodes", false, "statements",
      "The recipe",
      "nodes: [Out = Relu(X)]"},
     {"variants", false, "variants",
      "Several recipes: the converter takes the first one whose `opset` and `when` hold",
      "variants: [...]"},
     {"native", false, "name",
      "A C++ function in `runtime/to_onnx/natives/`, with `why`",
      "native: while_loop"},
     {"why", false, "sentence",
      "What the spec language cannot express",
      "why: it converts a block"},
     {"limits", false, "sentences",
      "What is not converted, for the support matrix",
      "limits: [more than one image]"},
     {"examples", false, "examples",
      "Tests: Paddle and ONNX Runtime must agree. If no example can describe the operands, name a model of `tests/models` or `tests/data/models` that runs the operator. Required for Paddle's operators",
      "examples: [{in: {X: \"float32[2, 3]\"}}]"}},
    "An operator, or each row of a template",
    R"({"oneOf": [{"required": ["op"]}, {"required": ["for_each"]}],
        "dependencies": {"native": ["why"], "why": ["native"]}})"};

const KeySet function{
    "function", "a function",
    {{"function", true, "text",
      "The name, parameters and results. Without results, it is a requirement, which recipes call under `require`",
      "function: \"raise_rank(X: tensor, n: int) -> Y: tensor\""},
     {"doc", true, "sentence", "What it computes: one line, capital first letter, no full stop",
      "doc: Prepends axes of size 1 until the tensor has n axes"},
     {"replaces", false, "operator_name",
      "An ONNX operator: `--target` writes this function's nodes if the engine does not run the operator. Parameters have the names of its operands and attributes",
      "replaces: Less"},
     {"let", false, "bindings", "Names, in order", "let: {r: rank(X)}"},
     {"require", false, "requirements", "As in an operator. A function without results has one, with its message",
      "require: [{that: r > 0, else: expected an axis}]"},
     {"is", false, "expression", "The result as one expression, instead of `nodes`", "is: max(a, b) - 1"},
     {"nodes", false, "statements", "The recipe, which assigns the results", "nodes: [Y = Relu(X)]"},
     {"variants", false, "variants", "Several recipes", "variants: [...]"}},
    "A function, which specs and other functions call"};

const KeySet variant{
    "variant", "a variant",
    {{"doc", false, "sentence", "When it applies or what it does", "doc: Any number of axes"},
     {"opset", false, "opsets", "Narrows the opsets that opgen infers: `13+`, `11..12` or `13`", "opset: 13+"},
     {"when", false, "expression", "A condition on values known while converting", "when: rank(X) == 4"},
     {"let", false, "bindings", "Names, in order", "let: {n: dim(X, 0)}"},
     {"require", false, "requirements", "As in an operator", "require: [one_level(X)]"},
     {"nodes", true, "statements", "The recipe", "nodes: [Out = Relu(X)]"}},
    "One of several recipes"};

const KeySet require{
    "requirement", "a requirement",
    {{"that", true, "expression", "The condition", "that: rank(X) == 4"},
     {"else", true, "sentence",
      "The message: what was found, what is needed, and what the user can do; lower case, no full stop. `{expression}` inserts a value",
      "else: \"expected 4 axes, found {rank(X)}\""},
     {"code", false, "code", "The code of the refusal; without it, E_REQUIRE", "code: E_SHAPE"}},
    "A condition, and the message if it does not hold"};

const KeySet if_statement{
    "if", "an 'if' statement",
    {{"if", true, "expression", "A condition known while converting; or a bool tensor, which makes an ONNX If", "if: has(Bias)"},
     {"then", true, "statements", "If it holds", "then: [x = x + Bias]"},
     {"else", false, "statements", "Otherwise", "else: [x = Neg(x)]"}},
    "A choice"};

const KeySet for_statement{
    "for", "a 'for' statement",
    {{"for", true, "text", "Names, and the list that they iterate over", "for: i in range(n)"},
     {"nodes", true, "statements", "Repeated while converting", "nodes: [x = Relu(x)]"}},
    "Statements repeated while converting"};

const KeySet require_statement{
    "require_statement", "a 'require' statement",
    {{"require", true, "requirements", "As the key of an operator, for names that statements assigned",
      "require: [{that: n > 0, else: no rows}]"}},
    "Conditions among statements"};

const KeySet loop_statement{
    "loop", "a 'loop' statement",
    {{"loop", true, "state", "The loop-carried tensors, assigned before; may be empty", "loop: [h, c]"},
     {"for", false, "text", "A name for the iteration number, an int64 tensor, and the number of iterations", "for: i in n"},
     {"while", false, "expression", "A condition on the loop-carried tensors, tested before each iteration", "while: Less(c, limit)"},
     {"outputs", false, "names", "Names whose values of all iterations are stacked along a new first axis", "outputs: [y]"},
     {"nodes", true, "statements", "One iteration", "nodes: [h = h * 0.5]"}},
    "An ONNX Loop",
    R"({"anyOf": [{"required": ["for"]}, {"required": ["while"]}]})"};

const KeySet lod_statement{
    "lod", "a 'lod' statement",
    {{"lod", true, "bindings", "As the key of an operator, for lengths that statements computed", "lod: {Out: \"[rows]\"}"}},
    "The LoD of a result"};

const KeySet example{
    "example", "an example",
    {{"name", false, "name", "The name in reports; without it, the number", "name: half"},
     {"only", false, "names", "The template rows that the example is for", "only: [abs]"},
     {"in", false, "operands",
      "Operands; a list for a list slot. After the shape: `in [lo, hi]` or `in [lo, hi)` (range), `= [..]` (values, nested like the shape), `sorted`, `permutation`, `unique`, `nonzero`, `boxes`, `lod [0, 2, 5]` (sequence offsets in axis 0; once per level, outermost first)",
      "in: {X: \"float32[2, 3] in [0, 1)\"}"},
     {"attrs", false, "mapping", "Attributes; the others have Paddle's defaults", "attrs: {axis: 1}"},
     {"const", false, "names", "Operands that are parameters of the model, or initializers", "const: [W]"},
     {"dyn", false, "open_axes",
      "Dynamic dimensions. `all` makes every axis of every operand dynamic, also the length of a tensor that holds a parameter. If Paddle itself needs some sizes, name the axes instead",
      "dyn: {X: [0]}"},
     {"out", false, "outputs", "The number of tensors in a list output, or the outputs to compare", "out: {Out: 3}"},
     {"tol", false, "tolerance",
      "The relative and the absolute tolerance, with `why`. `random`: the values are random, and their distribution is compared; an output needs 1000 values",
      "tol: [1e-4, 1e-5]"},
     {"refused", false, "code", "The code with which the conversion must be refused", "refused: E_LOD"},
     {"opset", false, "opsets", "Runs only there, and must not be refused there", "opset: 13+"},
     {"reference", false, "references",
      "What computes the expected results: statements for operators and attributes that Paddle does not compute on the CPU, or `3.3`: Paddle 3.3, for an operator that Paddle 2.6 also has",
      "reference: [{op: relu, in: {X: X}, out: {Out: Out}}]"},
     {"why", false, "sentence", "The reason for `tol`", "why: sums of 10,000 values"}},
    "An operator with operands, which Paddle and ONNX Runtime run"};

const KeySet reference{
    "reference", "a reference statement",
    {{"op", true, "name", "A Paddle operator", "op: scale"},
     {"in", false, "mapping", "Its slots, and the names of their operands", "in: {X: X}"},
     {"out", true, "mapping", "Its slots, and names for their results", "out: {Out: a}"},
     {"attrs", false, "mapping", "Its attributes", "attrs: {scale: 0.5}"}},
    "A statement of a Paddle program"};

std::vector<const KeySet*> all() {
  return {&op,           &function,          &variant,        &require,       &if_statement, &for_statement,
          &loop_statement, &require_statement, &lod_statement, &example,       &reference};
}

const std::vector<ValueType>& types() {
  static const std::vector<ValueType> list{
      {"name", "name", R"({"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"})"},
      {"operator_name", "name", R"({"type": "string", "pattern": "^([A-Za-z_][A-Za-z0-9_]*\\.)*[A-Za-z_][A-Za-z0-9_]*$"})"},
      {"slot", "name", R"({"type": "string", "pattern": "^([A-Za-z_][A-Za-z0-9_]*|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\})$"})"},
      {"names", "`[name, ...]`",
       R"({"type": "array", "minItems": 1, "uniqueItems": true, "items": {"$ref": "#/definitions/slot"}})"},
      {"state", "`[name, ...]`", R"({"type": "array", "uniqueItems": true, "items": {"$ref": "#/definitions/name"}})"},
      {"slots", "`[Slot, ...]` or `{Slot: tensor, ...}`",
       R"({"anyOf": [{"$ref": "#/definitions/names"},
                     {"type": "object", "additionalProperties": {"enum": ["tensor", "tensor?", "list", "list?", "refused"]}}]})"},
      {"attributes", "`[name, ...]` or `{name: \"int = -1\", ...}`",
       R"({"anyOf": [{"$ref": "#/definitions/names"}, {"type": "object", "additionalProperties": {"type": "string"}}]})"},
      {"parameters", "`{name: int_array \\| int \\| float_array \\| float}`",
       R"({"type": "object", "minProperties": 1, "additionalProperties": {"enum": ["int_array", "int", "float_array", "float"]}})"},
      {"reasons", "`{name: reason, ...}`",
       R"({"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/definitions/sentence"}})"},
      {"layout", "`{attribute: [Slot, ...]}`",
       R"({"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": {"$ref": "#/definitions/names"}})"},
      {"table", "`[op, ...]`, `{op: Node, ...}` or `{op: {column: value, ...}, ...}`",
       R"({"anyOf": [{"type": "array", "minItems": 1, "uniqueItems": true, "items": {"$ref": "#/definitions/operator_name"}},
                     {"type": "object", "minProperties": 1, "propertyNames": {"$ref": "#/definitions/operator_name"},
                      "additionalProperties": {"type": ["string", "number", "boolean", "array", "object"]}}]})"},
      {"text", "string", R"({"type": "string"})"},
      {"sentence", "sentence", R"({"type": "string", "minLength": 1})"},
      {"sentences", "list of sentences", R"({"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/sentence"}})"},
      {"code", "code", R"({"type": "string", "pattern": "^[A-Z][A-Z0-9_]*$"})"},
      {"opsets", "opsets", R"({"type": ["string", "integer"], "pattern": "^\\d+(\\+|\\.\\.\\d+)?$"})"},
      {"expression", "expression", R"({"type": ["string", "number", "boolean", "array"]})"},
      {"bindings", "`{name: expression, ...}`",
       R"({"type": "object", "minProperties": 1, "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
           "additionalProperties": {"$ref": "#/definitions/expression"}})"},
      {"requirements", "list of [requirements](#keys-of-a-requirement)",
       R"({"type": "array", "minItems": 1, "items": {"anyOf": [{"type": "string"}, {"$ref": "#/definitions/requirement"}]}})"},
      {"variants", "list of [variants](#keys-of-a-variant)",
       R"({"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/variant"}})"},
      {"statements", "list of [statements](#statements)",
       R"({"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/statement"}})"},
      {"statement", "statement",
       R"({"anyOf": [{"description": "names = expression", "type": "string"}, {"$ref": "#/definitions/if"},
                     {"$ref": "#/definitions/for"}, {"$ref": "#/definitions/require_statement"},
                     {"$ref": "#/definitions/loop"}, {"$ref": "#/definitions/lod"}]})"},
      {"examples", "list of [examples](#examples)",
       R"({"type": "array", "minItems": 1, "items": {"anyOf": [{"$ref": "#/definitions/name"}, {"$ref": "#/definitions/example"}]}})"},
      {"operand", "operand",
       R"({"type": "string", "pattern": "^(bool|u?int8|int16|int32|int64|b?float16|float32|float64|complex64|complex128)\\["})"},
      {"operands", "`{Slot: \"float32[2, 3]\", ...}`",
       R"({"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/definitions/operand"},
           {"type": "array", "items": {"$ref": "#/definitions/operand"}}]}})"},
      {"mapping", "`{name: value, ...}`", R"({"type": "object"})"},
      {"open_axes", "`{Slot: [axis, ...]}` or `all`",
       R"({"anyOf": [{"const": "all"}, {"type": "object",
           "additionalProperties": {"type": "array", "items": {"type": "integer", "minimum": 0}}}]})"},
      {"outputs", "`{Slot: n}` or `[Slot, ...]`",
       R"({"anyOf": [{"$ref": "#/definitions/names"},
           {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}]})"},
      {"tolerance", "`1e-4`, `[rtol, atol]` or `random`",
       R"({"anyOf": [{"type": "number", "minimum": 0}, {"const": "random"},
           {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number", "minimum": 0}}]})"},
      {"references", "list of [statements](#keys-of-a-reference), or `3.3`",
       R"({"anyOf": [{"const": 3.3}, {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/reference"}}]})"},
  };
  return list;
}
// clang-format on

std::string replacement(const std::string& key) {
  static const std::map<std::string, std::string> now{
      {"onnx", "'op', whose value has a capital letter"},
      {"signature", "types under 'inputs', 'outputs' and 'attrs'"},
      {"models", "'examples', which may name models"},
      {"requirement", "'function', without results"},
      {"hint", "'else', behind a ';'"},
      {"elif", "'if' under 'else'"},
      {"branch", "'if', whose condition is a tensor"},
      {"times", "'for', as in 'for: i in n'"},
      {"iteration", "'for', as in 'for: i in n'"},
      {"scan_outputs", "'outputs'"},
      {"collect", "'outputs'"},
      {"opsets", "'opset'"},
      {"paddle", "'when: since(3.0)' in a variant, 'reference: 3.3' in an example"},
      {"do", "'nodes'"},
      {"random", "'tol: random'"},
      {"rtol", "'tol: [rtol, atol]'"},
      {"atol", "'tol: [rtol, atol]'"},
  };
  const auto found = now.find(key);
  return found == now.end() ? "" : found->second;
}

}  // namespace keys
}  // namespace opgen
