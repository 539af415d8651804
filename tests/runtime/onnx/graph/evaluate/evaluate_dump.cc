// Writes many small models, each one node whose operands are initializers, with what the folding kernel makes of it as
// further initializers "expected_0" and so on. against_onnxruntime.py lets ONNX Runtime compute the same.
//
//   evaluate_dump FOLDER
#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "runtime/onnx/graph/attributes.h"
#include "runtime/onnx/graph/constant.h"
#include "runtime/onnx/graph/evaluate/evaluate.h"
#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx {
namespace {

class Dump {
 public:
  explicit Dump(std::string folder) : folder_(std::move(folder)) {}

  void add(const std::string& op, int opset, const std::vector<Tensor>& inputs, const Attrs& attrs = {},
           int outputs = 1) {
    const Schema* schema = find_schema(op, opset);
    if (!schema) return;
    evaluation::Call call{op, opset, {}, &attrs, outputs, evaluation::kNoLimit};
    onnx::ModelProto model;
    model.set_ir_version(10);
    model.add_opset_import()->set_version(opset);
    auto* graph = model.mutable_graph();
    graph->set_name("case");
    auto* node = graph->add_node();
    node->set_op_type(op);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool given = inputs[i].dtype() != Dtype::undefined;
      call.inputs.push_back(given ? &inputs[i] : nullptr);
      const std::string name = given ? "in" + std::to_string(i) : "";
      node->add_input(name);
      if (given) *graph->add_initializer() = to_proto(inputs[i], name);
    }
    for (const auto& a : to_protos(attrs, schema)) *node->add_attribute() = a;
    const auto results = evaluation::evaluate(call);
    if (!results) {
      ++not_folded_;
      return;
    }
    for (int i = 0; i < outputs; ++i) {
      const Tensor& t = (*results)[static_cast<size_t>(i)];
      node->add_output("out" + std::to_string(i));
      auto* output = graph->add_output();
      output->set_name(node->output(i));
      *output->mutable_type() = tensor_type(t.dtype(), t.dims());
      *graph->add_initializer() = to_proto(t, "expected_" + std::to_string(i));
    }
    std::ofstream(folder_ + "/" + std::to_string(count_++) + ".onnx", std::ios::binary) << model.SerializeAsString();
  }

  int count() const { return count_; }
  int not_folded() const { return not_folded_; }

 private:
  std::string folder_;
  int count_ = 0;
  int not_folded_ = 0;
};

constexpr Dtype kNumbers[] = {Dtype::float32, Dtype::float64, Dtype::int8,   Dtype::int16,  Dtype::int32,
                              Dtype::int64,   Dtype::uint8,   Dtype::uint16, Dtype::uint32, Dtype::uint64};

/// Numbers with both signs, zero and fractions where the dtype has them.
Tensor sample(Dtype dtype, const Ints& dims, int seed = 0) {
  const int64_t n = element_count(dims);
  const bool is_unsigned = dtype_name(dtype)[0] == 'u';
  Floats floats;
  Ints ints;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t v = (i * 37 + int64_t{seed} * 11 + 5) % 23 - (is_unsigned ? 0 : 11);
    ints.push_back(v);
    floats.push_back(static_cast<double>(v) + static_cast<double>((i * 13 + seed) % 8) / 8);
  }
  if (is_floating(dtype)) return *make_tensor(Constant{floats, dims, dtype}, dtype);
  return *make_tensor(Constant{ints, dims, dtype}, dtype);
}

Tensor positive(Dtype dtype, const Ints& dims) {
  Ints ints;
  for (int64_t i = 0; i < element_count(dims); ++i) ints.push_back(i % 5 + 1);
  return *make_tensor(Constant{ints, dims, dtype}, dtype);
}

Tensor scalar(Dtype dtype, double value) { return *make_tensor(Constant{Floats{value}, {}, dtype}, dtype); }

void numbers(Dump* dump, Dtype d, int opset) {
  const std::vector<std::pair<Ints, Ints>> shapes = {
      {{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{2, 1, 3}, {4, 1}}, {{}, {5}}, {{0, 3}, {3}}};
  for (const auto& [a, b] : shapes) {
    for (const char* op :
         {"Add", "Sub", "Mul", "Min", "Max", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"}) {
      dump->add(op, opset, {sample(d, a), sample(d, b, 1)});
    }
    for (const char* op : {"Div", "Mod"}) {
      const Attrs attrs = op[0] == 'M' && is_floating(d) ? Attrs{Attr("fmod", 1)} : Attrs{};
      dump->add(op, opset, {sample(d, a), positive(d, b)}, attrs);
    }
    dump->add("Pow", opset, {positive(d, a), positive(d, b)});
  }
  if (!is_floating(d) && dtype_name(d)[0] != 'u') {  // divisors of both signs
    const auto two = *make_tensor(Constant{Ints{-3, 3}, {2, 1}, d}, d);
    for (const char* op : {"Div", "Mod"}) dump->add(op, opset, {sample(d, {2, 9}), two});
    dump->add("Mod", opset, {sample(d, {2, 9}), two}, {Attr("fmod", 1)});
  }
  for (const char* op : {"Neg", "Abs", "Sign", "Floor", "Ceil", "Round", "Reciprocal", "Identity"}) {
    dump->add(op, opset, {sample(d, {4, 6})});
  }
  dump->add("Sqrt", opset, {positive(d, {7})});
  dump->add("Log", opset, {positive(d, {7})});
  dump->add("Clip", opset, {sample(d, {4, 6}), scalar(d, 2), scalar(d, 7)});
  dump->add("Clip", opset, {sample(d, {4, 6}), Tensor(), scalar(d, 7)});
  for (const Dtype to : kNumbers) {
    dump->add("Cast", opset, {dtype_name(to)[0] == 'u' ? positive(d, {9}) : sample(d, {9})}, {Attr("to", to)});
  }
  for (const Dtype to : {Dtype::bool_, Dtype::float16, Dtype::bfloat16}) {
    dump->add("Cast", opset, {sample(d, {9})}, {Attr("to", to)});
  }
  for (const char* op :
       {"ReduceSum", "ReduceProd", "ReduceMean", "ReduceSumSquare", "ReduceL2", "ReduceMax", "ReduceMin"}) {
    for (const int keep : {0, 1}) {
      const Tensor x = op[6] == 'P' ? positive(d, {2, 3, 2}) : sample(d, {2, 3, 2});
      const bool input = opset >= 18 || (opset >= 13 && op[6] == 'S');
      const auto reduce = [&](const Ints& axes) {
        if (input) dump->add(op, opset, {x, Tensor::int64s(axes)}, {Attr("keepdims", keep)});
        else dump->add(op, opset, {x}, {Attr("keepdims", keep), Attr("axes", axes)});
      };
      reduce({1});
      reduce({0, -1});
      dump->add(op, opset, {x}, {Attr("keepdims", keep)});
    }
  }
  for (const int flags : {0, 1, 2, 3}) {
    dump->add("CumSum", opset, {sample(d, {3, 4}), Tensor::of(Dtype::int32, {}, std::vector<int32_t>{-1})},
              {Attr("exclusive", flags & 1), Attr("reverse", flags >> 1)});
  }
  dump->add("Range", opset, {scalar(d, 1), scalar(d, 9), scalar(d, 3)});
  for (const int64_t diagonal : {0, 2, -1}) dump->add("EyeLike", opset, {sample(d, {3, 4})}, {Attr("k", diagonal)});
  if (is_floating(d)) dump->add("Range", opset, {scalar(d, 3), scalar(d, -1), scalar(d, -0.3)});
}

void movement(Dump* dump, Dtype d, int opset) {
  const Tensor x = d == Dtype::bool_ ? Tensor(d, {2, 3, 4}, std::vector<uint8_t>(24, 1)) : sample(d, {2, 3, 4});
  const auto ints = [](const Ints& list) { return Tensor::int64s(list); };
  dump->add("Transpose", opset, {x}, {Attr("perm", Ints{2, 0, 1})});
  dump->add("Transpose", opset, {x});
  dump->add("Expand", opset, {x, ints({5, 1, 1, 1})});
  dump->add("Tile", opset, {x, ints({2, 1, 3})});
  dump->add("Concat", opset, {x, x, x}, {Attr("axis", 1)});
  dump->add("Reshape", opset, {x, ints({0, -1, 2})});
  dump->add("Flatten", opset, {x}, {Attr("axis", 2)});
  dump->add("Shape", opset, {x});
  dump->add("Size", opset, {x});
  dump->add("Gather", opset, {x, Tensor::int64s({2, -1}).reshaped({1, 2})}, {Attr("axis", 1)});
  dump->add("Gather", opset, {x, Tensor::int64_scalar(1)}, {Attr("axis", 0)});
  const Tensor c(Dtype::bool_, {3, 1}, std::vector<uint8_t>{1, 0, 1});
  dump->add("Where", opset, {c, x, x.reshaped({2, 3, 4})});
  constexpr int kFirstPadByOperand = 11;
  const Ints pads{1, 0, 2, 0, 3, 0};
  if (opset >= kFirstPadByOperand) dump->add("Pad", opset, {x, ints(pads)});
  else dump->add("Pad", opset, {x}, {Attr("pads", pads)});
  if (opset >= 13) {
    dump->add("Unsqueeze", opset, {x, ints({0, -1})});
    dump->add("Squeeze", opset, {x.reshaped({1, 6, 1, 4}), ints({0})});
    dump->add("Split", opset, {x, ints({1, 3})}, {Attr("axis", 2)}, 2);
  } else {
    dump->add("Unsqueeze", opset, {x}, {Attr("axes", Ints{0, 3})});
    dump->add("Split", opset, {x}, {Attr("axis", 2)}, 2);
  }
  dump->add("Squeeze", opset, {x.reshaped({1, 6, 1, 4})});
  if (opset >= 15) dump->add("Shape", opset, {x}, {Attr("start", -2), Attr("end", 9)});
  if (opset >= 18) dump->add("Split", opset, {x}, {Attr("axis", 2), Attr("num_outputs", 3)}, 3);
  if (opset >= 10) {
    for (const Ints& s : std::vector<Ints>{
             {0, 2, 1}, {-1, INT64_MIN, -1}, {3, 0, -2}, {1, 100, 2}, {2, 1, 1}, {-100, 100, 3}, {100, -100, -3}}) {
      dump->add("Slice", opset, {x, ints({s[0]}), ints({s[1]}), ints({2}), ints({s[2]})});
      dump->add("Slice", opset, {x, ints({1, s[0]}), ints({2, s[1]}), ints({0, -1}), ints({1, s[2]})});
    }
  } else {
    dump->add("Slice", opset, {x}, {Attr("starts", Ints{1, -2}), Attr("ends", Ints{2, 9}), Attr("axes", Ints{0, 2})});
  }
}

void others(Dump* dump, int opset) {
  const Tensor a(Dtype::bool_, {2, 2}, std::vector<uint8_t>{0, 0, 1, 1});
  const Tensor b(Dtype::bool_, {2}, std::vector<uint8_t>{0, 1});
  for (const char* op : {"And", "Or", "Xor", "Equal"}) dump->add(op, opset, {a, b});
  dump->add("Not", opset, {a});
  for (const Dtype to : kNumbers) dump->add("Cast", opset, {a}, {Attr("to", to)});
  for (const Dtype from : {Dtype::float16, Dtype::bfloat16}) {
    const Attrs attrs{Attr("to", Dtype::float32)};
    dump->add("Cast", opset, {sample(from, {9})}, attrs);
  }
  const Tensor edges =
      Tensor::of(Dtype::float32, {10},
                 std::vector<float>{65504, 65519.9f, 65520, 1e-8f, 6e-8f, 3e-5f, -0.0f, INFINITY, 0.1f, 2049});
  dump->add("Cast", opset, {edges}, {Attr("to", Dtype::float16)});
  dump->add("Cast", opset, {edges}, {Attr("to", Dtype::bfloat16)});
  const Tensor halves = Tensor::of(Dtype::float32, {5}, std::vector<float>{0.5f, 1.5f, 2.5f, -0.5f, -1.5f});
  dump->add("Round", opset, {halves});
  dump->add("ConstantOfShape", opset, {Tensor::int64s({2, 3})});
  dump->add("EyeLike", opset, {Tensor::of(Dtype::int64, {2, 2}, Ints{5, 6, 7, 8})}, {Attr("dtype", Dtype::float32)});
  dump->add("ConstantOfShape", opset, {Tensor::int64s({2})}, {Attr("value", Constant{Ints{7}, {1}, Dtype::int32})});
  dump->add("Sum", opset, {sample(Dtype::float32, {2, 3}), sample(Dtype::float32, {3}), sample(Dtype::float32, {1})});
}

}  // namespace
}  // namespace fluid2onnx

int main(int argc, char** argv) {
  using namespace fluid2onnx;
  if (argc != 2) {
    std::cerr << "usage: evaluate_dump FOLDER\n";
    return 2;
  }
  Dump dump(argv[1]);
  for (const int opset : {9, 12, 17, 21}) {
    for (const Dtype d : kNumbers) {
      numbers(&dump, d, opset);
      movement(&dump, d, opset);
    }
    movement(&dump, Dtype::float16, opset);
    movement(&dump, Dtype::bool_, opset);
    others(&dump, opset);
  }
  std::cout << dump.count() << " cases, " << dump.not_folded() << " not folded\n";
}
