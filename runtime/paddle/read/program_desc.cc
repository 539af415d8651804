#include "runtime/paddle/read/program_desc.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/paddle/program/callstack.h"
#include "runtime/paddle/program/feed_and_fetch.h"
#include "runtime/paddle/program/validate.h"
#include "runtime/paddle/proto/framework.pb.h"
#include "runtime/paddle/read/paddle_3_operators.h"
#include "runtime/paddle/read/program_desc_values.h"
#include "runtime/paddle/read/repeated_name.h"
#include "runtime/paddle/read/wire_problem.h"
#include "runtime/support/error.h"
#include "runtime/support/has_item.h"
#include "runtime/support/hints.h"
#include "runtime/support/limits.h"
#include "runtime/support/wire.h"

namespace fluid2onnx {
namespace {

constexpr char kAbsent[] = "@EMPTY@";  // an absent argument
/// Half of the attributes of a program.
constexpr std::string_view kInternalAttributes[] = {"op_device", "op_namescope", "op_role", "op_role_var",
                                                    "with_quant_attr"};
constexpr size_t kRemembered = 1024;            // bytes of attributes that other operators may have as well
constexpr size_t kForgetFieldsAfter = 8 << 20;  // pages that were read count as memory

[[noreturn]] void fail_to_parse(const MappedFile& file) {
  const auto problem = find_wire_problem(file.bytes(), *framework::ProgramDesc::descriptor());
  if (!problem) {
    throw Error(E_BAD_PROGRAM, "not a ProgramDesc").at(file.path()).hint(kExportAgain);
  }
  std::string place = file.path() + ": byte " + std::to_string(problem->offset);
  if (!problem->path.empty()) place += " (" + problem->path + ")";
  if (problem->at_end) {
    throw Error(E_TRUNCATED, "the file ends too early: " + problem->what).at(place).hint(kIncomplete);
  }
  throw Error(E_BAD_PROGRAM, "not a ProgramDesc: " + problem->what).at(place).hint(kExportAgain);
}

using wire::Bytes;
using wire::for_each_field;
using wire::text_of;

bool parse(Bytes bytes, google::protobuf::MessageLite* message) {
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

/// Appends a slot, from the bytes of an OpDesc::Var. False where they are none.
bool add_slot(Bytes bytes, std::vector<Slot>* slots) {
  using Var = framework::OpDesc::Var;
  Slot& slot = slots->emplace_back();
  bool any = false;
  const bool good = for_each_field(bytes, [&](uint32_t tag, Bytes, Bytes value) {
    if (tag == wire::delimited(Var::kParameterFieldNumber)) slot.name = text_of(value);
    if (tag != wire::delimited(Var::kArgumentsFieldNumber)) return true;
    const std::string_view name = text_of(value);
    slot.args.emplace_back(name == kAbsent ? std::string_view() : name);
    any = any || !slot.args.back().empty();
    return true;
  });
  if (!any) slot.args.clear();
  return good;
}

bool add_slots(const std::vector<Bytes>& all, std::vector<Slot>* slots) {
  slots->reserve(all.size());
  return std::all_of(all.begin(), all.end(), [&](Bytes bytes) { return add_slot(bytes, slots); });
}

class Builder {
 public:
  explicit Builder(const std::shared_ptr<const MappedFile>& file) : file_(*file) {
    program_.model_path = file->path();
    program_.file = file;
  }

  // Operator by operator: their descriptions, with a few dozen lines of Python each, take many times the memory of
  // what is made of them.
  Program build() {
    if (file_.size() > limits::kMessageBytes) {
      throw Error(E_BAD_PROGRAM,
                  "the program has " + std::to_string(file_.size()) + " bytes; protobuf allows 2147483647")
          .at(file_.path());
    }
    program_.format = ProgramFormat::program_desc;
    std::string rest;
    const bool whole = for_each_field(file_.bytes(), [&](uint32_t tag, Bytes field, Bytes value) {
      if (tag == wire::delimited(framework::ProgramDesc::kBlocksFieldNumber)) return add_block(value);
      rest.append(field.begin(), field.end());
      return true;
    });
    framework::ProgramDesc desc;
    if (!whole || !desc.ParseFromString(rest)) fail_to_parse(file_);
    if (desc.has_version()) program_.version = desc.version().version();
    for (const auto& pair : desc.op_version_map().pair()) {
      program_.op_versions[pair.op_name()] = pair.op_version().version();
    }
    if (program_.blocks.empty()) {
      throw Error(E_BAD_PROGRAM, "the program has no blocks").at(file_.path()).hint("pass a complete Paddle program");
    }
    file_.forget();
    validate_blocks(program_);
    replace_feeds_and_fetches(program_);
    adopt_paddle_3_operators(program_);
    return std::move(program_);
  }

 private:
  Error bad(const std::string& place, const std::string& message) const {
    return Error(E_BAD_PROGRAM, message).at(file_.path() + ": " + place).hint(kExportAgain);
  }

  // Messages repeat names.
  void check_name(std::string_view name, const std::string& place) const {
    if (name.size() <= limits::kNameBytes) return;
    throw bad(place, "a name has " + std::to_string(name.size()) + " bytes, expected at most " +
                         std::to_string(limits::kNameBytes));
  }

  bool add_block(Bytes bytes) {
    constexpr uint32_t kVar = wire::delimited(framework::BlockDesc::kVarsFieldNumber);
    constexpr uint32_t kOp = wire::delimited(framework::BlockDesc::kOpsFieldNumber);
    Block block;
    block.index = static_cast<int32_t>(program_.blocks.size());
    const std::string place = "block " + std::to_string(block.index);
    framework::VarDesc var;
    std::string head;
    size_t read = 0;
    // Once: what is read twice is fetched twice, or stays in memory as a whole.
    const bool whole = for_each_field(bytes, [&](uint32_t tag, Bytes field, Bytes value) {
      if ((read += field.size()) > kForgetFieldsAfter) {
        read = 0;
        file_.forget();
      }
      if (tag == kOp) return add_op(value, &block);
      if (tag != kVar) {
        head.append(field.begin(), field.end());
        return true;
      }
      if (!parse(value, &var)) return false;
      add_variable(var, place, &block);
      return true;
    });
    framework::BlockDesc desc;
    if (!whole || !desc.ParseFromString(head)) return false;
    if (desc.idx() != block.index) {
      throw bad(place, "the block has index " + std::to_string(desc.idx()));
    }
    block.parent = desc.has_parent_idx() ? desc.parent_idx() : -1;
    program_.blocks.push_back(std::move(block));
    return true;
  }

  void add_variable(const framework::VarDesc& desc, const std::string& place, Block* block) const {
    if (desc.name().empty()) throw bad(place, "a variable has no name");
    check_name(desc.name(), place);
    Variable variable = make_variable(desc);
    if (variable.lod_level > limits::kLodLevels) {
      throw bad(place, "variable '" + desc.name() + "' has LoD level " + std::to_string(variable.lod_level) +
                           ", expected at most " + std::to_string(limits::kLodLevels));
    }
    if (!block->variables.emplace(desc.name(), std::move(variable)).second) {
      throw bad(place, "variable '" + desc.name() + "' is declared twice");
    }
  }

  // Read from the wire, because most of an operator is not needed: Python's call stack, and Paddle's internal
  // attributes.
  bool add_op(Bytes bytes, Block* block) {
    using framework::OpDesc;
    Op& op = block->ops.emplace_back();
    op.block = block->index;
    op.index = static_cast<int32_t>(block->ops.size() - 1);
    attributes_.clear();
    attribute_bytes_.clear();
    inputs_.clear();
    outputs_.clear();
    size_t attribute_size = 0;
    const bool whole = for_each_field(bytes, [&](uint32_t tag, Bytes field, Bytes value) {
      if (tag == wire::delimited(OpDesc::kTypeFieldNumber)) op.type = text_of(value);
      if (tag == wire::delimited(OpDesc::kAttrsFieldNumber)) {
        const std::string_view name = attribute_name(value);
        if (name == kCallstackAttribute) {
          op.source = Source(value);
          return for_each_field(value, [](uint32_t, Bytes, Bytes) { return true; });
        }
        if (!has_item(kInternalAttributes, name)) {
          attributes_.push_back(value);
          attribute_size += field.size();
          if (attribute_size <= kRemembered) attribute_bytes_ += text_of(field);
        }
      }
      if (tag == wire::delimited(OpDesc::kInputsFieldNumber)) inputs_.push_back(value);
      if (tag == wire::delimited(OpDesc::kOutputsFieldNumber)) outputs_.push_back(value);
      return true;
    });
    if (!whole || !add_slots(inputs_, &op.inputs) || !add_slots(outputs_, &op.outputs)) return false;
    for (const Slot& slot : op.inputs) {
      if (slot.args.size() <= limits::kOperands) continue;
      throw bad(op.place(), "a slot has " + std::to_string(slot.args.size()) + " arguments, expected at most " +
                                std::to_string(limits::kOperands));
    }
    for (const std::vector<Slot>* slots : {&op.inputs, &op.outputs}) {
      if (const std::string_view name = repeated_name(*slots); !name.empty()) {
        throw bad(op.place(), "slot '" + std::string(name) + "' appears twice");
      }
    }
    if (op.type.empty()) throw bad(op.place(), "an operator has no type");
    check_name(op.type, "block " + std::to_string(op.block));
    return attributes_.empty() || add_attributes(attribute_size <= kRemembered, &op);
  }

  // Those of attributes_. Operators of one type mostly have the same: these are read once.
  bool add_attributes(bool remember, Op* op) {
    constexpr size_t kMany = 4096;
    if (!remember) return read_attributes(op);
    if (const auto same = read_before_.find(attribute_bytes_); same != read_before_.end()) {
      op->attrs = same->second;
      return true;
    }
    if (!read_attributes(op)) return false;
    if (read_before_.size() < kMany) read_before_.emplace(attribute_bytes_, op->attrs);
    return true;
  }

  bool read_attributes(Op* op) {
    AttributeList::List& list = op->attrs.edit();
    list.reserve(attributes_.size());
    for (const Bytes bytes : attributes_) {
      if (!parse(bytes, &attr_)) return false;
      std::optional<AttributeValue> value = make_value(attr_);
      if (!value || !attr_.has_type()) {
        const bool is_scalar = attr_.type() == framework::SCALAR || attr_.type() == framework::SCALARS;
        throw bad(op->place(), "attribute '" + attr_.name() + "' " +
                                   (is_scalar ? "has a scalar of an unknown kind"
                                              : "is of the unknown kind " + std::to_string(attr_.type())));
      }
      list.push_back({attr_.name(), std::move(*value)});
    }
    keep_last_of_each_name(&list);  // Paddle writes mkldnn_data_type of reshape2 twice, and reads the last one
    return true;
  }

  const MappedFile& file_;
  Program program_;
  // Used again and again.
  std::vector<Bytes> attributes_, inputs_, outputs_;
  std::string attribute_bytes_;
  std::unordered_map<std::string, AttributeList> read_before_;
  framework::OpDesc::Attr attr_;
};

}  // namespace

Program read_program_desc(const std::shared_ptr<const MappedFile>& file) { return Builder(file).build(); }

SourceLine Source::line() const {
  if (line_) return *line_;
  std::vector<std::string_view> entries;
  for_each_field(callstack_, [&](uint32_t tag, Bytes, Bytes value) {
    if (tag == wire::delimited(framework::OpDesc::Attr::kStringsFieldNumber)) entries.push_back(text_of(value));
    return true;
  });
  return distill_callstack(entries);
}

}  // namespace fluid2onnx
