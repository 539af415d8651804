#include "runtime/convert/adapt.h"

#include <algorithm>
#include <string>

#include "runtime/convert/compute.h"

namespace fluid2onnx::adapt {
namespace {

std::string quoted(const char* name) { return "'" + std::string(name) + "'"; }

Attrs::iterator find(Attrs& attrs, const char* name) {
  return std::find_if(attrs.begin(), attrs.end(), [&](const Attr& a) { return a.name == name; });
}

/// The elements of an operand that is known now.
bool known_floats(OpContext& op, const Operand& operand, Floats* out) {
  if (const auto* v = std::get_if<Value>(&operand.rep())) {
    if (!op.is_const(*v)) return false;
    *out = op.const_floats(*v);
    return true;
  }
  if (const auto* c = std::get_if<Constant>(&operand.rep())) {
    if (const auto* f = std::get_if<Floats>(&c->data)) *out = *f;
    if (const auto* i = std::get_if<Ints>(&c->data)) out->assign(i->begin(), i->end());
    if (const auto* b = std::get_if<Bools>(&c->data)) out->assign(b->begin(), b->end());
    return true;
  }
  if (const auto* s = std::get_if<Scalar>(&operand.rep())) {
    if (s->known()) *out = {s->known_value};
    else if (op.is_const(s->tensor)) *out = op.const_floats(s->tensor);
    else return false;
    return true;
  }
  if (const auto* list = std::get_if<Scalars>(&operand.rep())) {
    for (const Scalar& s : *list) {
      if (!s.known()) return false;
      out->push_back(s.known_value);
    }
    return true;
  }
  return false;
}

bool known_ints(OpContext& op, const Operand& operand, Ints* out) {
  if (const auto* d = std::get_if<Dim>(&operand.rep())) {
    if (!d->known()) return false;
    *out = {d->known_value};
    return true;
  }
  if (const auto* dims = std::get_if<Dims>(&operand.rep())) {
    if (!is_known(*dims)) return false;
    for (const Dim& d : dims->items) out->push_back(d.known_value);
    return true;
  }
  if (const auto* v = std::get_if<Value>(&operand.rep())) {
    if (!op.is_const(*v)) return false;
    *out = op.const_ints(*v);
    return true;
  }
  Floats floats;
  if (!known_floats(op, operand, &floats)) return false;
  if (const auto* c = std::get_if<Constant>(&operand.rep()))
    if (const auto* ints = std::get_if<Ints>(&c->data)) {
      *out = *ints;
      return true;
    }
  out->assign(floats.begin(), floats.end());
  return true;
}

}  // namespace

void operand_to_attr(OpContext& op, Operands& operands, Attrs& attrs, size_t index, const char* attr, AttrKind kind,
                     const char* node, int since) {
  if (index >= operands.size()) return;
  const Operand operand = operands[index];
  operands[index] = Operand();
  while (!operands.empty() && operands.back().omitted()) operands.pop_back();
  if (operand.omitted()) return;
  Ints ints;
  Floats floats;
  const bool integral = kind == AttrKind::integer || kind == AttrKind::integers;
  if (integral ? !known_ints(op, operand, &ints)
               : !known_floats(op, operand, &floats) && !known_ints(op, operand, &ints))
    op.refuse_opset(since, quoted(attr) + " of " + node + " that is known only at run time");
  if (!integral && floats.empty()) floats.assign(ints.begin(), ints.end());
  switch (kind) {
    case AttrKind::integers: attrs.emplace_back(attr, ints); break;
    case AttrKind::floats: attrs.emplace_back(attr, floats); break;
    case AttrKind::integer: attrs.emplace_back(attr, at(ints, 0)); break;
    case AttrKind::floating: attrs.emplace_back(attr, at(floats, 0)); break;
  }
}

void no_operand(OpContext& op, Operands& operands, size_t index, const char* name, const char* node, int since) {
  if (index >= operands.size()) return;
  if (!operands[index].omitted()) op.refuse_opset(since, "operand " + quoted(name) + " of " + node);
  while (!operands.empty() && operands.back().omitted()) operands.pop_back();
}

void empty_operand(OpContext& op, Operands& operands, size_t index) {
  if (operands.size() <= index) operands.resize(index + 1);
  if (operands[index].omitted()) operands[index] = op.tensor(Constant{Floats{}, {0}, Dtype::float32});
}

void no_attr(OpContext& op, Attrs& attrs, const char* name, const AttrValue* default_value, const char* node,
             int since) {
  const auto it = find(attrs, name);
  if (it == attrs.end()) return;
  // An attribute without default in the schema is a list whose default is all ones (dilations) or nothing.
  bool same = default_value != nullptr && it->value == *default_value;
  // Schemas hold float defaults in single precision.
  if (default_value != nullptr && !same)
    if (const auto* a = std::get_if<double>(&it->value))
      if (const auto* b = std::get_if<double>(default_value)) same = static_cast<float>(*a) == static_cast<float>(*b);
  if (default_value == nullptr)
    if (const auto* list = std::get_if<Ints>(&it->value))
      same = std::all_of(list->begin(), list->end(), [](int64_t x) { return x == 1; });
  if (!same) op.refuse_opset(since, "attribute " + quoted(name) + " of " + node);
  attrs.erase(it);
}

void rename_attr(Attrs& attrs, const char* name, const char* old_name) {
  const auto it = find(attrs, name);
  if (it != attrs.end()) it->name = old_name;
}

void no_value(OpContext& op, const Attrs& attrs, const char* name, const char* value, const char* node, int since) {
  for (const Attr& a : attrs) {
    if (a.name != name) continue;
    const auto* text = std::get_if<std::string>(&a.value);
    if (text != nullptr && *text == value) op.refuse_opset(since, quoted(name) + " \"" + value + "\" of " + node);
  }
}

void count_axes_from_front(OpContext& op, const Operands& operands, Attrs& attrs, const char* axes, bool unsqueeze) {
  const auto it = find(attrs, axes);
  if (it == attrs.end() || operands.empty()) return;
  const auto* x = std::get_if<Value>(&operands[0].rep());
  auto* one = std::get_if<int64_t>(&it->value);
  auto* list = std::get_if<Ints>(&it->value);
  const bool negative = (one != nullptr && *one < 0) ||
                        (list != nullptr && std::any_of(list->begin(), list->end(), [](int64_t a) { return a < 0; }));
  if (!negative || x == nullptr) return;
  const int64_t rank = op.rank(*x) + (unsqueeze && list != nullptr ? static_cast<int64_t>(list->size()) : 0);
  if (one != nullptr && *one < 0) *one += rank;
  if (list != nullptr)
    for (int64_t& a : *list)
      if (a < 0) a += rank;
}

}  // namespace fluid2onnx::adapt
