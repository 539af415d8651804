#include "runtime/paddle/program/operators.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

namespace fluid2onnx {

std::vector<std::string> split_words(const char* text) {
  std::vector<std::string> list;
  std::istringstream in(text);
  for (std::string word; in >> word;) list.push_back(word);
  return list;
}

std::vector<FluidSlot> read_slots(const char* text) {
  std::vector<FluidSlot> list;
  for (std::string word : split_words(text)) {
    FluidSlot slot;
    for (; !word.empty(); word.pop_back()) {
      if (word.back() == '*') slot.list = true;
      else if (word.back() == '?') slot.optional = true;
      else break;
    }
    slot.name = word;
    list.push_back(std::move(slot));
  }
  return list;
}

namespace {

/// A list's elements are separated by commas.
template <class T, class Parse>
std::vector<T> list_of(const std::string& text, const Parse& parse) {
  std::vector<T> list;
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, ',');) list.push_back(parse(item));
  return list;
}

/// The value of a default; nothing for kinds without defaults.
std::optional<AttributeValue> value_of(const std::string& type, const std::string& text) {
  const auto parse_bool = [](const std::string& t) { return t == "true"; };
  const auto parse_int = [](const std::string& t) {
    return static_cast<int64_t>(std::strtoll(t.c_str(), nullptr, 10));
  };
  const auto parse_float = [](const std::string& t) { return std::strtod(t.c_str(), nullptr); };
  if (type == "bool") return parse_bool(text);
  if (type == "int") return parse_int(text);
  if (type == "float") return parse_float(text);
  if (type == "string") return text;
  if (type == "bools") return list_of<bool>(text, parse_bool);
  if (type == "ints") return list_of<int64_t>(text, parse_int);
  if (type == "floats") return list_of<double>(text, parse_float);
  if (type == "strings") return list_of<std::string>(text, [](const std::string& t) { return t; });
  return std::nullopt;
}

std::vector<FluidAttr> attrs(const char* text) {
  std::vector<FluidAttr> list;
  for (const std::string& word : split_words(text)) {
    FluidAttr attr;
    const size_t colon = word.find(':'), at = word.find('@'), equals = std::min(word.find('='), at);
    attr.name = word.substr(0, colon);
    attr.type = word.substr(colon + 1, equals == std::string::npos ? equals : equals - colon - 1);
    if (equals < at) {
      attr.default_value = value_of(attr.type, word.substr(equals + 1, at == std::string::npos ? at : at - equals - 1));
    }
    if (at != std::string::npos) {
      const size_t plus = word.find('+', at);
      attr.tensor_slot = word.substr(at + 1, plus - at - 1);
      attr.list_slot = word.substr(plus + 1);
    }
    list.push_back(std::move(attr));
  }
  return list;
}

template <class List>
auto find_in(const List& list, std::string_view name) -> decltype(&list.front()) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

const FluidSlot* FluidOperator::input(std::string_view name) const { return find_in(inputs, name); }
const FluidAttr* FluidOperator::attr(std::string_view name) const { return find_in(attrs, name); }

const FluidOperator* find_fluid_operator(std::string_view type) {
  static const auto table = [] {
    std::map<std::string, FluidOperator, std::less<>> all;
    for (const FluidOperatorText& text : fluid_operator_texts()) {
      FluidOperator& op = all[text.type];
      op.type = text.type;
      op.inputs = read_slots(text.inputs);
      op.outputs = read_slots(text.outputs);
      op.attrs = attrs(text.attrs);
      for (const std::string& name : split_words(text.dtypes)) {
        if (const auto dtype = dtype_from_name(name)) op.dtypes.insert(*dtype);
      }
    }
    return all;
  }();
  const auto found = table.find(type);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace fluid2onnx
