#include "runtime/onnx/graph/attributes.h"

#include <algorithm>
#include <variant>

#include "runtime/onnx/graph/constant.h"
#include "runtime/support/bits.h"
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

/// Whether both have the same protobuf, where 0 and -0 differ.
bool identical(const Attr& a, const Attr& b) {
  const auto same_bits = [](double x, double y) { return bits_as<uint64_t>(x) == bits_as<uint64_t>(y); };
  if (a.name != b.name || a.value.index() != b.value.index()) return false;
  if (std::holds_alternative<Constant>(a.value)) return false;  // rare
  if (const auto* x = std::get_if<double>(&a.value)) return same_bits(*x, std::get<double>(b.value));
  if (const auto* x = std::get_if<Floats>(&a.value)) {
    const auto& y = std::get<Floats>(b.value);
    return std::equal(x->begin(), x->end(), y.begin(), y.end(), same_bits);
  }
  return a.value == b.value;
}

}  // namespace

Attributes AttributeTable::share(const Attrs& attrs, const Schema& schema) {
  constexpr size_t kFew = 16;
  if (attrs.empty()) return {};
  std::vector<Known>& known = known_[&schema];
  for (const Known& k : known) {
    if (std::equal(k.attrs.begin(), k.attrs.end(), attrs.begin(), attrs.end(), identical)) return k.protos;
  }
  Attributes protos = to_protos(attrs, &schema);
  if (known.size() < kFew) known.push_back({attrs, protos});
  return protos;
}

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

const AttrValue* find_attr(const Attrs& attrs, std::string_view name) {
  const auto found = std::find_if(attrs.begin(), attrs.end(), [&](const Attr& attr) { return attr.name == name; });
  return found == attrs.end() ? nullptr : &found->value;
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
