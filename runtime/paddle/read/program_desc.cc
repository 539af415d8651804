#include "runtime/paddle/read/program_desc.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/paddle/program/callstack.h"
#include "runtime/paddle/program/hints.h"
#include "runtime/paddle/program/ports.h"
#include "runtime/paddle/program/validate.h"
#include "runtime/paddle/proto/framework.pb.h"
#include "runtime/paddle/read/paddle_3_forms.h"
#include "runtime/paddle/read/wire_problem.h"
#include "runtime/support/error.h"
#include "runtime/support/limits.h"
#include "runtime/support/wire.h"

namespace fluid2onnx {
namespace {

constexpr char kAbsent[] = "@EMPTY@";  // an absent argument
// What Paddle notes at each operator for itself: half of the attributes of a program.
constexpr std::string_view kNotes[] = {"op_device", "op_namescope", "op_role", "op_role_var", "with_quant_attr"};
constexpr std::size_t kRemembered = 1024;            // bytes of attributes that other operators may have as well
constexpr std::size_t kForgetFieldsAfter = 8 << 20;  // pages that were read count as memory

[[noreturn]] void fail_to_parse(const MappedFile& file) {
  const auto problem = find_wire_problem(file.bytes(), *framework::ProgramDesc::descriptor());
  if (!problem) {
    throw Error(E_BAD_PROGRAM, "not a ProgramDesc").at(file.path()).hint(kExportAgain);
  }
  std::string place = file.path() + ": byte " + std::to_string(problem->offset);
  if (!problem->path.empty()) place += " (" + problem->path + ")";
  if (problem->at_end) {
    throw Error(E_TRUNCATED, "the file ends too early: " + problem->what)
        .at(place)
        .hint("the file is incomplete; copy or export it again");
  }
  throw Error(E_BAD_PROGRAM, "not a ProgramDesc: " + problem->what).at(place).hint(kExportAgain);
}

using wire::Bytes;
using wire::for_each_field;

constexpr std::uint32_t message_tag(int field) { return wire::delimited(field); }

bool parse(Bytes bytes, google::protobuf::MessageLite* message) {
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

VariableKind variable_kind(std::int32_t type) {
  switch (type) {
    case framework::LOD_TENSOR: return VariableKind::tensor;
    case framework::LOD_TENSOR_ARRAY: return VariableKind::tensor_array;
    case framework::SELECTED_ROWS: return VariableKind::selected_rows;
    case framework::SPARSE_COO:
    case framework::SPARSE_CSR: return VariableKind::sparse;
    case framework::STRING:
    case framework::STRINGS:
    case framework::VOCAB:
    case framework::PSTRING: return VariableKind::strings;
    case framework::FEED_MINIBATCH: return VariableKind::feed;
    case framework::FETCH_LIST: return VariableKind::fetch;
    case framework::STEP_SCOPES: return VariableKind::step_scopes;
    default: return VariableKind::other;
  }
}

// The part of a VarType that describes elements; null if the kind has none.
const framework::TensorDesc* tensor_desc(const framework::VarType& type) {
  switch (type.type()) {
    case framework::LOD_TENSOR: return type.lod_tensor().has_tensor() ? &type.lod_tensor().tensor() : nullptr;
    case framework::LOD_TENSOR_ARRAY: return type.tensor_array().has_tensor() ? &type.tensor_array().tensor() : nullptr;
    case framework::SELECTED_ROWS: return type.has_selected_rows() ? &type.selected_rows() : nullptr;
    case framework::SPARSE_COO: return type.has_sparse_coo() ? &type.sparse_coo() : nullptr;
    case framework::SPARSE_CSR: return type.has_sparse_csr() ? &type.sparse_csr() : nullptr;
    case framework::STRING: return type.has_string() ? &type.string() : nullptr;
    case framework::STRINGS: return type.has_strings() ? &type.strings() : nullptr;
    case framework::VOCAB: return type.has_vocab() ? &type.vocab() : nullptr;
    default: return nullptr;
  }
}

Variable make_variable(const framework::VarDesc& desc) {
  Variable variable;
  variable.kind = variable_kind(desc.type().type());
  variable.persistable = desc.persistable();
  if (variable.kind == VariableKind::tensor) {
    variable.lod_level = desc.type().lod_tensor().lod_level();
  } else if (variable.kind == VariableKind::tensor_array) {
    variable.lod_level = desc.type().tensor_array().lod_level();
  }
  if (const framework::TensorDesc* tensor = tensor_desc(desc.type())) {
    variable.dtype = dtype_from_paddle(tensor->has_data_type() ? tensor->data_type() : -1);
    Shape dims(tensor->dims().begin(), tensor->dims().end());
    for (std::int64_t& dim : dims) {
      if (dim < 0) dim = -1;
    }
    variable.dims = std::move(dims);
  }
  return variable;
}

Number make_scalar(const framework::Scalar& scalar) {
  switch (scalar.type()) {
    case framework::SCALAR_BOOLEAN: return scalar.b();
    case framework::SCALAR_LONG: return scalar.i();
    case framework::SCALAR_COMPLEX128: return std::complex<double>(scalar.c().r(), scalar.c().i());
    default: return scalar.r();
  }
}

template <class T, class List>
std::vector<T> copy_as(const List& list) {
  return std::vector<T>(list.begin(), list.end());
}

// Empty for a kind that this reader does not know.
std::optional<AttributeValue> make_value(const framework::OpDesc::Attr& attr) {
  switch (attr.type()) {
    case framework::INT: return std::int64_t{attr.i()};
    case framework::LONG: return std::int64_t{attr.l()};
    case framework::FLOAT: return static_cast<double>(attr.f());
    case framework::FLOAT64: return attr.float64();
    case framework::BOOLEAN: return attr.b();
    case framework::TEXT: return attr.s();
    case framework::INTS: return copy_as<std::int64_t>(attr.ints());
    case framework::LONGS: return copy_as<std::int64_t>(attr.longs());
    case framework::FLOATS: return copy_as<double>(attr.floats());
    case framework::FLOAT64S: return copy_as<double>(attr.float64s());
    case framework::BOOLEANS: return copy_as<bool>(attr.bools());
    case framework::TEXTS: return copy_as<std::string>(attr.strings());
    case framework::BLOCK: return BlockRefs{{attr.block_idx()}};
    case framework::BLOCKS: return BlockRefs{copy_as<std::int32_t>(attr.blocks_idx())};
    case framework::VAR: return VariableRefs{{attr.var_name()}, false};
    case framework::VARS: return VariableRefs{copy_as<std::string>(attr.vars_name()), true};
    case framework::SCALAR:
      return std::visit([](const auto& v) { return AttributeValue(v); }, make_scalar(attr.scalar()));
    case framework::SCALARS: {
      std::vector<Number> scalars;
      for (const auto& scalar : attr.scalars()) scalars.push_back(make_scalar(scalar));
      return scalars;
    }
    default: return std::nullopt;
  }
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Appends a slot, from the bytes of an OpDesc::Var. False where they are none.
bool add_slot(Bytes bytes, std::vector<Slot>* slots) {
  using Var = framework::OpDesc::Var;
  Slot& slot = slots->emplace_back();
  bool any = false;
  const bool good = for_each_field(bytes, [&](std::uint32_t tag, Bytes, Bytes value) {
    if (tag == message_tag(Var::kParameterFieldNumber)) slot.name = text_of(value);
    if (tag != message_tag(Var::kArgumentsFieldNumber)) return true;
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

// The name of an attribute, from the bytes of an OpDesc::Attr, which begin with it.
std::string_view attribute_name(Bytes bytes) {
  std::string_view name;
  for_each_field(bytes, [&](std::uint32_t tag, Bytes, Bytes value) {
    if (tag == message_tag(framework::OpDesc::Attr::kNameFieldNumber)) name = text_of(value);
    return false;
  });
  return name;
}

// An attribute that is one number or text, as most are: reading these through a message takes several times as long.
// Empty for others, and for what is not well formed.
std::optional<Attribute> single_attribute(Bytes bytes) {
  using Attr = framework::OpDesc::Attr;
  using enum wire::Type;
  std::optional<std::uint64_t> type;
  std::uint64_t i = 0, l = 0, b = 0;
  float f = 0;
  std::string_view name, s;
  const bool whole = for_each_field(bytes, [&](std::uint32_t tag, Bytes field, Bytes value) {
    switch (tag) {
      case wire::tag(Attr::kTypeFieldNumber, kVarint): type = wire::varint_of(field); break;
      case wire::tag(Attr::kIFieldNumber, kVarint): i = wire::varint_of(field); break;
      case wire::tag(Attr::kLFieldNumber, kVarint): l = wire::varint_of(field); break;
      case wire::tag(Attr::kBFieldNumber, kVarint): b = wire::varint_of(field); break;
      case wire::tag(Attr::kFFieldNumber, kFixed32): std::memcpy(&f, field.last<sizeof f>().data(), sizeof f); break;
      case message_tag(Attr::kSFieldNumber): s = text_of(value); break;
      case message_tag(Attr::kNameFieldNumber): name = text_of(value); break;
      default: break;
    }
    return true;
  });
  if (!whole || !type) return std::nullopt;
  const auto attribute = [&](AttributeValue value) { return Attribute{std::string(name), std::move(value)}; };
  switch (*type) {
    case framework::INT: return attribute(std::int64_t{static_cast<std::int32_t>(i)});
    case framework::LONG: return attribute(static_cast<std::int64_t>(l));
    case framework::FLOAT: return attribute(static_cast<double>(f));
    case framework::BOOLEAN: return attribute(b != 0);
    case framework::TEXT: return attribute(std::string(s));
    default: return std::nullopt;
  }
}

bool is_note(std::string_view attribute) {
  return std::find(std::begin(kNotes), std::end(kNotes), attribute) != std::end(kNotes);
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
    const bool whole = for_each_field(file_.bytes(), [&](std::uint32_t tag, Bytes field, Bytes value) {
      if (tag == message_tag(framework::ProgramDesc::kBlocksFieldNumber)) return add_block(value);
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
    extract_ports(program_);
    adopt_paddle_3_forms(program_);
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
    constexpr std::uint32_t kVar = message_tag(framework::BlockDesc::kVarsFieldNumber);
    constexpr std::uint32_t kOp = message_tag(framework::BlockDesc::kOpsFieldNumber);
    Block block;
    block.index = static_cast<std::int32_t>(program_.blocks.size());
    const std::string place = "block " + std::to_string(block.index);
    framework::VarDesc var;
    std::string head;
    std::size_t read = 0;
    // Once: what is read twice is fetched twice, or stays in memory as a whole.
    const bool whole = for_each_field(bytes, [&](std::uint32_t tag, Bytes field, Bytes value) {
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
    op.index = static_cast<std::int32_t>(block->ops.size() - 1);
    attributes_.clear();
    attribute_bytes_.clear();
    inputs_.clear();
    outputs_.clear();
    std::size_t attribute_size = 0;
    const bool whole = for_each_field(bytes, [&](std::uint32_t tag, Bytes field, Bytes value) {
      if (tag == message_tag(OpDesc::kTypeFieldNumber)) op.type = text_of(value);
      if (tag == message_tag(OpDesc::kAttrsFieldNumber)) {
        const std::string_view name = attribute_name(value);
        if (name == kCallstackAttribute) {
          op.source = Source(value);
          return for_each_field(value, [](std::uint32_t, Bytes, Bytes) { return true; });
        }
        if (!is_note(name)) {
          attributes_.push_back(value);
          attribute_size += field.size();
          if (attribute_size <= kRemembered) attribute_bytes_ += text_of(field);
        }
      }
      if (tag == message_tag(OpDesc::kInputsFieldNumber)) inputs_.push_back(value);
      if (tag == message_tag(OpDesc::kOutputsFieldNumber)) outputs_.push_back(value);
      return true;
    });
    if (!whole || !add_slots(inputs_, &op.inputs) || !add_slots(outputs_, &op.outputs)) return false;
    for (const Slot& slot : op.inputs) {
      if (slot.args.size() <= limits::kOperands) continue;
      throw bad(op.place(), "a slot has " + std::to_string(slot.args.size()) + " arguments, expected at most " +
                                std::to_string(limits::kOperands));
    }
    if (op.type.empty()) throw bad(op.place(), "an operator has no type");
    check_name(op.type, "block " + std::to_string(op.block));
    return attributes_.empty() || add_attributes(attribute_size <= kRemembered, &op);
  }

  // Those of attributes_. Operators of one type mostly have the same: these are read once.
  bool add_attributes(bool remember, Op* op) {
    constexpr std::size_t kMany = 4096;
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
      std::optional<Attribute> single = single_attribute(bytes);
      if (!single && !(single = any_attribute(bytes, *op))) return false;
      list.push_back(std::move(*single));
    }
    return true;
  }

  // Empty where the bytes are none.
  std::optional<Attribute> any_attribute(Bytes bytes, const Op& op) {
    if (!parse(bytes, &attr_)) return std::nullopt;
    std::optional<AttributeValue> value = make_value(attr_);
    if (!value || !attr_.has_type()) {
      throw bad(op.place(), "attribute '" + attr_.name() + "' is of the unknown kind " + std::to_string(attr_.type()));
    }
    return Attribute{attr_.name(), std::move(*value)};
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
  for_each_field(callstack_, [&](std::uint32_t tag, Bytes, Bytes value) {
    if (tag == message_tag(framework::OpDesc::Attr::kStringsFieldNumber)) entries.push_back(text_of(value));
    return true;
  });
  return distill_callstack(entries);
}

}  // namespace fluid2onnx
