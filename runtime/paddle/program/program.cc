#include "runtime/paddle/program/program.h"

#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

const std::vector<std::string> kNoNames;
const std::string kNoName;

const std::vector<std::string>& args_of(const std::vector<Slot>& slots, std::string_view name) {
  for (const Slot& slot : slots) {
    if (slot.name == name) return slot.args;
  }
  return kNoNames;
}

const std::string& arg_of(const std::vector<Slot>& slots, std::string_view name, size_t i) {
  const auto& args = args_of(slots, name);
  return i < args.size() ? args[i] : kNoName;
}

/// The attribute read by `read`, absent if not set, an Error if set to something else.
template <class T>
std::optional<T> get(const Op& op, std::string_view name, std::optional<T> (Attribute::*read)() const,
                     std::string_view wanted) {
  const Attribute* attribute = op.attr(name);
  if (!attribute) return std::nullopt;
  std::optional<T> value = (attribute->*read)();
  if (value) return value;
  throw attribute->wrong_kind(wanted).at(op.place());
}

}  // namespace

std::string type_text(Dtype dtype, const std::optional<Shape>& dims) {
  std::string text(dtype_name(dtype));
  if (!dims) return text + " of unknown shape";
  text += "[";
  for (size_t i = 0; i < dims->size(); ++i) {
    text += (i > 0 ? ", " : "") + ((*dims)[i] < 0 ? "?" : std::to_string((*dims)[i]));
  }
  return text + "]";
}

const char* variable_kind_name(VariableKind kind) {
  switch (kind) {
    case VariableKind::tensor: return "tensor";
    case VariableKind::tensor_array: return "tensor array";
    case VariableKind::selected_rows: return "selected rows";
    case VariableKind::sparse: return "sparse tensor";
    case VariableKind::strings: return "strings";
    case VariableKind::feed: return "feed list";
    case VariableKind::fetch: return "fetch list";
    case VariableKind::step_scopes: return "step scopes";
    case VariableKind::other: break;
  }
  return "other";
}

std::string SourceLine::to_string() const {
  if (file.empty()) return "";
  const size_t slash = file.find_last_of("/\\");
  std::string text = slash == std::string::npos ? file : file.substr(slash + 1);
  text += ":" + std::to_string(line);
  if (!function.empty()) text += " in " + function;
  return text;
}

const std::vector<std::string>& Op::input(std::string_view slot) const { return args_of(inputs, slot); }

const std::vector<std::string>& Op::output(std::string_view slot) const { return args_of(outputs, slot); }

const std::string& Op::input(std::string_view slot, size_t i) const { return arg_of(inputs, slot, i); }

const std::string& Op::output(std::string_view slot, size_t i) const { return arg_of(outputs, slot, i); }

const Attribute* Op::attr(std::string_view name) const {
  for (const Attribute& attribute : attrs) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

std::optional<bool> Op::get_bool(std::string_view name) const {
  return get(*this, name, &Attribute::as_bool, "a bool");
}

std::optional<int64_t> Op::get_int(std::string_view name) const {
  return get(*this, name, &Attribute::as_int, "an integer");
}

std::optional<double> Op::get_float(std::string_view name) const {
  return get(*this, name, &Attribute::as_float, "a float");
}

std::optional<std::string> Op::get_string(std::string_view name) const {
  return get(*this, name, &Attribute::as_string, "a string");
}

std::optional<Dtype> Op::get_dtype(std::string_view name) const {
  return get(*this, name, &Attribute::as_dtype, "a dtype");
}

std::optional<std::vector<int64_t>> Op::get_ints(std::string_view name) const {
  return get(*this, name, &Attribute::as_ints, "a list of integers");
}

std::optional<std::vector<double>> Op::get_floats(std::string_view name) const {
  return get(*this, name, &Attribute::as_floats, "a list of floats");
}

std::optional<std::vector<std::string>> Op::get_strings(std::string_view name) const {
  return get(*this, name, &Attribute::as_strings, "a list of strings");
}

std::vector<int32_t> Op::sub_blocks() const {
  std::vector<int32_t> result;
  for (const Attribute& attribute : attrs) {
    if (const BlockRefs* refs = attribute.as_blocks()) {
      result.insert(result.end(), refs->blocks.begin(), refs->blocks.end());
    }
  }
  return result;
}

std::string Op::place() const {
  std::string text = "block " + std::to_string(block) + ", op " + std::to_string(index);
  if (!type.empty()) text += " '" + type + "'";
  const std::string line = source.to_string();
  if (!line.empty()) text += " (" + line + ")";
  return text;
}

const Variable* Block::find(std::string_view name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : &found->second;
}

const Variable* Program::find_variable(int32_t block, std::string_view name) const {
  while (block >= 0) {
    const Block& current = blocks[static_cast<size_t>(block)];
    if (const Variable* variable = current.find(name)) return variable;
    block = current.parent;
  }
  return nullptr;
}

const Parameter* Program::find_parameter(std::string_view name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? nullptr : &found->second;
}

std::string Program::version_text() const {
  if (!version) return "unversioned";
  const int64_t v = *version;
  return std::to_string(v / 1000000) + "." + std::to_string(v / 1000 % 1000) + "." + std::to_string(v % 1000);
}

}  // namespace fluid2onnx
