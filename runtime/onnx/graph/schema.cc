#include "runtime/onnx/graph/schema.h"

#include <onnx/defs/data_type_utils.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

#include "runtime/onnx/graph/schema_registry.h"
#include "runtime/support/text.h"

namespace fluid2onnx {
namespace {

constexpr Dtype kAll[] = {Dtype::float32,  Dtype::uint8,        Dtype::int8,      Dtype::uint16,    Dtype::int16,
                          Dtype::int32,    Dtype::int64,        Dtype::string,    Dtype::bool_,     Dtype::float16,
                          Dtype::float64,  Dtype::uint32,       Dtype::uint64,    Dtype::complex64, Dtype::complex128,
                          Dtype::bfloat16, Dtype::float8e4m3fn, Dtype::float8e5m2};

/// ONNX's own type objects are unique, so that pointers can be compared.
Dtype tensor_dtype(onnx::DataType type) {
  static const auto* table = [] {
    auto* t = new std::unordered_map<onnx::DataType, Dtype>();
    for (const Dtype d : kAll) {
      onnx::TypeProto proto;
      proto.mutable_tensor_type()->set_elem_type(static_cast<int32_t>(d));
      t->emplace(onnx::Utils::DataTypeUtils::ToType(proto), d);
    }
    return t;
  }();
  const auto found = table->find(type);
  return found == table->end() ? Dtype::undefined : found->second;
}

std::vector<SchemaParam> params_of(const std::vector<onnx::OpSchema::FormalParameter>& list,
                                   const onnx::OpSchema& schema, std::vector<std::string>* variables) {
  std::vector<SchemaParam> result;
  for (const auto& formal : list) {
    SchemaParam p;
    p.name = formal.GetName();
    p.optional = formal.GetOption() == onnx::OpSchema::Optional;
    p.variadic = formal.GetOption() == onnx::OpSchema::Variadic;
    for (const onnx::DataType type : formal.GetTypes()) {
      const Dtype d = tensor_dtype(type);
      if (d != Dtype::undefined) {
        p.dtypes.add(d);
      } else if (type->rfind("tensor(", 0) != 0) {  // float4 and similar types are not supported
        p.tensors_only = false;
      }
    }
    const bool is_variable = schema.typeConstraintMap().count(formal.GetTypeStr()) != 0;
    if (is_variable && formal.GetIsHomogeneous()) {
      for (size_t i = 0; i < variables->size(); ++i) {
        if ((*variables)[i] == formal.GetTypeStr()) p.variable = static_cast<int>(i);
      }
      if (p.variable < 0) {
        p.variable = static_cast<int>(variables->size());
        variables->push_back(formal.GetTypeStr());
      }
    }
    result.push_back(std::move(p));
  }
  return result;
}

void set_main_variable(Schema* schema) {
  for (const auto* list : {&schema->inputs, &schema->outputs}) {
    for (const SchemaParam& p : *list) {
      const bool several = !p.dtypes.empty() && p.dtypes.only() == Dtype::undefined;
      if (p.variable >= 0 && several && schema->main_variable < 0) schema->main_variable = p.variable;
    }
  }
}

}  // namespace

Dtype DtypeSet::only() const {
  Dtype found = Dtype::undefined;
  for (const Dtype d : kAll) {
    if (!has(d)) continue;
    if (found != Dtype::undefined) return Dtype::undefined;
    found = d;
  }
  return found;
}

std::string DtypeSet::to_string() const {
  std::string text;
  for (const Dtype d : kAll) {
    if (has(d)) text += (text.empty() ? "" : ", ") + std::string(dtype_name(d));
  }
  return text;
}

const SchemaParam* Schema::at(const std::vector<SchemaParam>& list, size_t i) {
  if (i < list.size()) return &list[i];
  return !list.empty() && list.back().variadic ? &list.back() : nullptr;
}

namespace {

/// Null if missing. ONNX propagates elements from opset 13 on. It also holds for older versions with the same operands.
onnx::DataPropagationFunction propagation_of(const onnx::OpSchema& schema) {
  constexpr int kFirstOpset = 13, kSliceByOperands = 10;
  static const std::set<std::string> same_form{"Add",   "Cast",  "Concat",  "Gather", "Mul",
                                               "Shape", "Slice", "Squeeze", "Sub",    "Unsqueeze"};
  const onnx::OpSchema* with = &schema;
  const bool other_form = schema.Name() == "Slice" && schema.SinceVersion() < kSliceByOperands;
  if (!schema.has_data_propagation_function() && !other_form && same_form.count(schema.Name())) {
    with = schema_registry().GetSchema(schema.Name(), kFirstOpset);
  }
  return with && with->has_data_propagation_function() ? with->GetDataPropagationFunction() : nullptr;
}

}  // namespace

const Schema* find_schema(std::string_view op, int opset) {
  static std::mutex mutex;
  static auto* by_name = new std::unordered_map<std::string, std::map<int, const Schema*>, TextHash, std::equal_to<>>();
  static auto* by_onnx = new std::unordered_map<const onnx::OpSchema*, std::unique_ptr<Schema>>();

  const std::lock_guard<std::mutex> lock(mutex);
  const auto named = by_name->find(op);
  auto& by_opset = named != by_name->end() ? named->second : (*by_name)[std::string(op)];
  const auto found = by_opset.find(opset);
  if (found != by_opset.end()) return found->second;

  const onnx::OpSchema* onnx_schema = schema_registry().GetSchema(std::string(op), opset);
  const Schema* result = nullptr;
  if (onnx_schema && !onnx_schema->Deprecated()) {
    auto& slot = (*by_onnx)[onnx_schema];
    if (!slot) {
      slot = std::make_unique<Schema>();
      slot->onnx = onnx_schema;
      slot->inputs = params_of(onnx_schema->inputs(), *onnx_schema, &slot->variables);
      slot->outputs = params_of(onnx_schema->outputs(), *onnx_schema, &slot->variables);
      set_main_variable(slot.get());
      if (onnx_schema->has_type_and_shape_inference_function()) {
        slot->infer = onnx_schema->GetTypeAndShapeInferenceFunction();
      }
      slot->propagate = propagation_of(*onnx_schema);
    }
    result = slot.get();
  }
  by_opset.emplace(opset, result);
  return result;
}

// Looked up each time: a program may register more.
int newest_opset() { return onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second; }

int first_opset_with(std::string_view op, int opset, const std::function<bool(const Schema&)>& fits) {
  for (int n = opset + 1; n <= newest_opset(); ++n) {
    if (const Schema* schema = find_schema(op, n); schema && fits(*schema)) return n;
  }
  return 0;
}

}  // namespace fluid2onnx
