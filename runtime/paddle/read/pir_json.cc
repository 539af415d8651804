#include "runtime/paddle/read/pir_json.h"

#include <array>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "runtime/paddle/program/callstack.h"
#include "runtime/paddle/read/pir_types.h"
#include "runtime/paddle/read/repeated_name.h"
#include "runtime/support/error.h"
#include "runtime/support/hints.h"
#include "runtime/support/limits.h"

namespace fluid2onnx {
namespace {

using nlohmann::json;

/// The operators of the main block are at {"program": {"regions": [{"blocks": [{"ops": [HERE]}]}]}}.
constexpr int kOpDepth = 7;
constexpr std::pair<size_t, const char*> kOpPath[] = {{1, "program"}, {2, "regions"}, {4, "blocks"}, {6, "ops"}};

Error bad_json(const std::string& place, const std::string& message) {
  return Error(E_BAD_PROGRAM, message).at(place).hint(kExportAgain);
}

/// A SAX handler that can discard list items; json::parse with a callback needs quadratic time for that. `keep` is
/// called at the start of objects and lists (with nothing), at keys, and at the end of objects: false discards the list
/// item.
class Tree final : public json::json_sax_t {
 public:
  using Keep = std::function<bool(int depth, json::parse_event_t event, json& parsed)>;
  explicit Tree(Keep keep) : keep_(std::move(keep)) {}

  const json& root() const { return root_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }  // JSON has none
  bool start_object(size_t /*size*/) override { return open(json::object(), json::parse_event_t::object_start); }
  bool start_array(size_t /*size*/) override { return open(json::array(), json::parse_event_t::array_start); }
  bool key(string_t& name) override {
    json parsed = name;
    keep_(depth(), json::parse_event_t::key, parsed);
    member_ = &(*open_.back())[name];
    return true;
  }
  bool end_object() override {
    json& ended = *open_.back();
    open_.pop_back();
    if (!keep_(depth(), json::parse_event_t::object_end, ended) && !open_.empty() && open_.back()->is_array()) {
      open_.back()->erase(open_.back()->size() - 1);
    }
    return true;
  }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool parse_error(size_t /*byte*/, const std::string& /*token*/, const json::exception& error) override {
    if (const auto* number = dynamic_cast<const json::out_of_range*>(&error)) throw *number;
    throw dynamic_cast<const json::parse_error&>(error);
  }

 private:
  int depth() const { return static_cast<int>(open_.size()); }

  json* put(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (!open_.back()->is_array()) return &(*member_ = std::move(value));
    open_.back()->push_back(std::move(value));
    return &open_.back()->back();
  }
  bool add(json value) {
    put(std::move(value));
    return true;
  }
  bool open(json value, json::parse_event_t event) {
    keep_(depth(), event, value);
    open_.push_back(put(std::move(value)));
    return true;
  }

  Keep keep_;
  json root_;
  json* member_ = nullptr;   // the value of the last key
  std::vector<json*> open_;  // the objects and lists around what is being read
};

class Reader {
 public:
  explicit Reader(const MappedFile& file) : file_(file) {}

  PirBlock read() {
    const auto bytes = file_.bytes();
    try {
      Tree tree([this](int depth, json::parse_event_t event, json& parsed) { return keep(depth, event, parsed); });
      // Of chars: standard libraries need not know strings of other bytes.
      const auto* text = reinterpret_cast<const char*>(bytes.data());
      json::sax_parse(text, text + bytes.size(), &tree);
      check_rest(tree.root());
    } catch (const json::parse_error& error) {
      const bool at_end = error.byte > bytes.size();
      const std::string place = file_.path() + ": byte " + std::to_string(error.byte - 1);
      if (!at_end) throw bad_json(place, "not JSON: " + reason(error));
      throw Error(E_TRUNCATED, "the file ends too early: " + reason(error)).at(place).hint(kIncomplete);
    } catch (const json::exception& error) {
      throw bad_json(file_.path(), "not JSON: " + reason(error));
    }
    return std::move(main_);
  }

 private:
  // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
  // The end of it repeats what was read, which may be megabytes.
  static std::string reason(const json::exception& error) {
    constexpr size_t kShown = 200;
    const std::string text = error.what();
    const size_t place = text.find(": ");
    const std::string found = text.substr((place != std::string::npos ? place : text.find("] ")) + 2);
    return found.size() <= kShown ? found : found.substr(0, kShown) + "...";
  }

  // Whether a piece of JSON stays in memory: operators of the main block go as soon as they are read.
  bool keep(int depth, json::parse_event_t event, json& parsed) {
    if (depth > limits::kJsonDepth)
      throw bad_json(file_.path(),
                     "the JSON is nested more than " + std::to_string(limits::kJsonDepth) + " levels deep");
    const auto at = static_cast<size_t>(depth);
    if (event == json::parse_event_t::key && at < keys_.size()) add_key(at, parsed.get<std::string>());
    if (event != json::parse_event_t::object_end || depth != kOpDepth) return true;
    for (const auto& [level, key] : kOpPath) {
      if (keys_[level] != key) return true;
    }
    add_op(parsed, "block 0", 0, &main_);
    return false;
  }

  // Operators are taken as they come: a second list of them would be added to the first.
  void add_key(size_t level, std::string key) {
    keys_[level] = std::move(key);
    for (size_t i = 0; i < std::size(kOpPath) && keys_[kOpPath[i].first] == kOpPath[i].second; ++i) {
      if (kOpPath[i].first == level && ++seen_[i] > 1) {
        throw bad_json(file_.path(), "'" + keys_[level] + "' comes twice, expected one program with one block");
      }
    }
  }

  // What is left without the operators.
  void check_rest(const json& rest) const {
    try {
      const json& regions = pir_array(pir_member(pir_member(rest, "program"), "regions"), "'regions'");
      if (regions.size() != 1)
        throw PirProblem("a program of " + std::to_string(regions.size()) + " regions, expected 1");
      only_block(regions.front());
    } catch (const PirProblem& problem) {
      throw bad_json(file_.path(), problem.what());
    }
  }

  static const json& only_block(const json& region) {
    const json& blocks = pir_array(pir_member(region, "blocks"), "'blocks'");
    if (blocks.size() != 1) throw PirProblem("a region of " + std::to_string(blocks.size()) + " blocks, expected 1");
    pir_array(pir_member(blocks.front(), "ops"), "'ops'");
    return blocks.front();
  }

  // `where` is the block in messages, whose number is not known before all blocks are.
  void add_op(const json& value, const std::string& where, int depth, PirBlock* block) const {
    PirOp op;
    op.index = static_cast<int32_t>(block->ops.size());
    std::string place = where + ", op " + std::to_string(op.index);
    try {
      if (depth > limits::kBlockDepth) {
        throw PirProblem("blocks are nested more than " + std::to_string(limits::kBlockDepth) + " deep");
      }
      op.name = pir_full_name(pir_string(pir_member(value, "#")));
      if (op.name.size() > limits::kNameBytes) {
        throw PirProblem("a name has " + std::to_string(op.name.size()) + " bytes, expected at most " +
                         std::to_string(limits::kNameBytes));
      }
      const bool is_parameter = op.name == "p";
      if (!is_parameter && op.name.find('.') == std::string::npos) {
        throw PirProblem("the name '" + op.name + "' has no dialect");
      }
      place += " '" + op.name + "'";
      if (op.name == kPirParameter) throw PirProblem("a parameter must have the short form 'p'");
      if (is_parameter) {
        read_parameter(value, &op);
      } else {
        read_op(value, &op);
        if (const auto regions = value.find("regions"); regions != value.end()) {
          for (const json& region : pir_array(*regions, "'regions'")) {
            op.regions.push_back(read_block(only_block(region), "a block of " + place, depth + 1));
          }
        }
      }
    } catch (const PirProblem& problem) {
      throw bad_json(file_.path() + ": " + place, problem.what());
    }
    block->ops.push_back(std::move(op));
  }

  PirBlock read_block(const json& value, const std::string& where, int depth) const {
    PirBlock block;
    if (const auto args = value.find("args"); args != value.end()) {
      for (const json& arg : pir_array(*args, "'args'")) block.args.push_back(read_value(arg, "#"));
    }
    for (const json& op : pir_member(value, "ops")) add_op(op, where, depth, &block);
    return block;
  }

  static PirValue read_value(const json& value, const char* id) {
    return {pir_int(pir_member(value, id)), read_pir_type(pir_member(value, "TT"))};
  }

  static void read_op(const json& value, PirOp* op) {
    for (const json& operand : pir_array(pir_member(value, "I"), "'I'")) {
      op->operands.push_back(pir_int(pir_member(operand, "%")));
    }
    for (const json& result : pir_array(pir_member(value, "O"), "'O'")) {
      // A result without a type is absent.
      if (pir_int(pir_member(result, "%")) == 0) op->results.emplace_back();
      else op->results.push_back(read_value(result, "%"));
    }
    for (const json& attr : pir_array(pir_member(value, "A"), "'A'")) read_attr(attr, op);
    keep_last_of_each_name(&op->attrs);
  }

  static void read_attr(const json& attr, PirOp* op) {
    const std::string name = pir_string(pir_member(attr, "N"));
    try {
      const json& stored = pir_member(attr, "AT");
      std::optional<AttributeValue> value = read_pir_attribute(stored);
      if (!value) {
        if (!is_absent_pir_attribute(stored)) op->unread.push_back(name);
        return;
      }
      if (name == kCallstackAttribute) {
        if (const auto lines = Attribute{name, *value}.as_strings()) {
          op->source = distill_callstack({lines->begin(), lines->end()});
        }
        return;
      }
      op->attrs.push_back({name, std::move(*value)});
    } catch (const PirProblem& problem) {
      throw PirProblem("attribute '" + name + "': " + problem.what());
    }
  }

  // Parameters are written in a way of their own: {"#": "p", "O": RESULT, "A": [0, 0, 1, NAME], "OA": [PERSISTABLE,
  // ...]}.
  static void read_parameter(const json& value, PirOp* op) {
    constexpr size_t kName = 3;
    op->name = kPirParameter;
    op->results.push_back(read_value(pir_member(value, "O"), "%"));
    const json& attrs = pir_array(pir_member(value, "A"), "'A'");
    if (attrs.size() <= kName) throw PirProblem("a parameter without a name");
    const std::string name = pir_string(attrs[kName]);
    if (name.empty()) throw PirProblem("a parameter without a name");
    op->attrs.push_back({std::string(kPirParameterName), name});
    // Programs that cannot be trained do not say which parameters are on disk: those of this name are not.
    bool persistable = !name.ends_with("__non_persistable");
    if (const auto flags = value.find("OA"); flags != value.end() && flags->is_array() && !flags->empty()) {
      persistable =
          pir_int(flags->front().is_boolean() ? json(flags->front().get<bool>() ? 1 : 0) : flags->front()) != 0;
    }
    op->attrs.push_back({std::string(kPirPersistable), persistable});
  }

  const MappedFile& file_;
  PirBlock main_;
  std::array<int, std::size(kOpPath)> seen_{};  // how often each key on the way to the operators came
  std::array<std::string, kOpDepth> keys_;      // of the objects around what is being read, by depth
};

}  // namespace

const Attribute* PirOp::attr(std::string_view wanted) const {
  for (const Attribute& attribute : attrs) {
    if (attribute.name == wanted) return &attribute;
  }
  return nullptr;
}

PirBlock read_pir_json(const MappedFile& file) { return Reader(file).read(); }

}  // namespace fluid2onnx
