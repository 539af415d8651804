#include "runtime/graph/attributes.h"

#include "runtime/graph/constant.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

using onnx::AttributeProto;

/// What the schema wants; FLOAT where an int is given for a float.
AttributeProto::AttributeType declared_type(const Attr& attr, const Schema& schema) {
  const auto& declared = schema.onnx->attributes();
  const auto found = declared.find(attr.name);
  if (found == declared.end()) {
    throw Error(E_INTERNAL, "the ONNX operator '" + schema.onnx->Name() + "' of version " +
                                std::to_string(schema.onnx->SinceVersion()) + " has no attribute '" + attr.name + "'");
  }
  return found->second.type;
}

struct Setter {
  AttributeProto* proto;
  AttributeProto::AttributeType wanted;

  void operator()(int64_t v) const {
    if (wanted == AttributeProto::FLOAT) return (*this)(static_cast<double>(v));
    proto->set_type(AttributeProto::INT);
    proto->set_i(v);
  }
  void operator()(double v) const {
    proto->set_type(AttributeProto::FLOAT);
    proto->set_f(static_cast<float>(v));
  }
  void operator()(const std::string& v) const {
    proto->set_type(AttributeProto::STRING);
    proto->set_s(v);
  }
  void operator()(const Ints& v) const {
    if (wanted == AttributeProto::FLOATS) return (*this)(Floats(v.begin(), v.end()));
    proto->set_type(AttributeProto::INTS);
    for (const int64_t i : v) proto->add_ints(i);
  }
  void operator()(const Floats& v) const {
    proto->set_type(AttributeProto::FLOATS);
    for (const double f : v) proto->add_floats(static_cast<float>(f));
  }
  void operator()(const Strings& v) const {
    proto->set_type(AttributeProto::STRINGS);
    for (const auto& s : v) proto->add_strings(s);
  }
  void operator()(const Constant& v) const {
    std::string why;
    const auto tensor = make_tensor(v, natural_dtype(v), &why);
    if (!tensor) throw Error(E_CONSTANT_DTYPE, why);
    proto->set_type(AttributeProto::TENSOR);
    *proto->mutable_t() = to_proto(*tensor, "");
  }
};

}  // namespace

std::vector<AttributeProto> to_protos(const Attrs& attrs, const Schema* schema) {
  std::vector<AttributeProto> protos;
  protos.reserve(attrs.size());
  for (const Attr& attr : attrs) {
    AttributeProto& proto = protos.emplace_back();
    proto.set_name(attr.name);
    const auto wanted = schema ? declared_type(attr, *schema) : AttributeProto::UNDEFINED;
    std::visit(Setter{&proto, wanted}, attr.value);
    if (wanted != AttributeProto::UNDEFINED && proto.type() != wanted) {
      throw Error(E_INTERNAL, "the attribute '" + attr.name + "' of '" + schema->onnx->Name() + "' is a " +
                                  AttributeProto::AttributeType_Name(wanted) + ", got a " +
                                  AttributeProto::AttributeType_Name(proto.type()));
    }
  }
  return protos;
}

const AttributeProto* find_attribute(const Node& node, std::string_view name) {
  for (const AttributeProto& a : node.attributes) {
    if (a.name() == name) return &a;
  }
  return nullptr;
}

int64_t int_attribute(const Node& node, std::string_view name, int64_t default_value) {
  const AttributeProto* a = find_attribute(node, name);
  return a ? a->i() : default_value;
}

}  // namespace fluid2onnx
