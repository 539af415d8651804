#include "runtime/program/program_desc.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>
#include <utility>

#include "runtime/program/callstack.h"
#include "runtime/program/framework.pb.h"
#include "runtime/program/ports.h"
#include "runtime/program/validate.h"
#include "runtime/program/wire_problem.h"
#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

constexpr char kAbsent[] = "@EMPTY@";  // an argument that stands for none
constexpr char kCallstack[] = "op_callstack";
constexpr char kExportAgain[] = "the file is damaged; copy or export it again";

void parse(const MappedFile& file, framework::ProgramDesc* desc) {
  if (file.size() > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    throw Error("E_BAD_PROGRAM", "a program of " + std::to_string(file.size()) + " bytes; protobuf allows 2147483647")
        .at(file.path());
  }
  const int size = static_cast<int>(file.size());
  google::protobuf::io::ArrayInputStream bytes(file.bytes().data(), size);
  google::protobuf::io::CodedInputStream input(&bytes);
  input.SetTotalBytesLimit(size);
  input.SetRecursionLimit(32);
  if (desc->ParseFromCodedStream(&input) && input.ConsumedEntireMessage()) return;

  const auto problem = find_wire_problem(file.bytes(), *framework::ProgramDesc::descriptor());
  if (!problem) {
    throw Error("E_BAD_PROGRAM", "not a ProgramDesc").at(file.path()).hint(kExportAgain);
  }
  std::string place = file.path() + ": byte " + std::to_string(problem->offset);
  if (!problem->path.empty()) place += " (" + problem->path + ")";
  if (problem->at_end) {
    throw Error("E_TRUNCATED", "the file ends too early: " + problem->what)
        .at(place)
        .hint("the file is incomplete; copy or export it again");
  }
  throw Error("E_BAD_PROGRAM", "not a ProgramDesc: " + problem->what).at(place).hint(kExportAgain);
}

VariableKind kind_of(std::int32_t type) {
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
  variable.name = desc.name();
  variable.kind = kind_of(desc.type().type());
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

std::vector<Slot> make_slots(const google::protobuf::RepeatedPtrField<framework::OpDesc::Var>& vars) {
  std::vector<Slot> slots;
  slots.reserve(static_cast<std::size_t>(vars.size()));
  for (const auto& var : vars) {
    Slot slot{var.parameter(), copy_as<std::string>(var.arguments())};
    bool any = false;
    for (std::string& name : slot.args) {
      if (name == kAbsent) name.clear();
      any = any || !name.empty();
    }
    if (!any) slot.args.clear();
    slots.push_back(std::move(slot));
  }
  return slots;
}

class Builder {
 public:
  explicit Builder(const MappedFile& file) : file_(file) { program_.model_path = file.path(); }

  Program build(const framework::ProgramDesc& desc) {
    program_.format = ProgramFormat::program_desc;
    if (desc.has_version()) program_.version = desc.version().version();
    for (const auto& pair : desc.op_version_map().pair()) {
      program_.op_versions[pair.op_name()] = pair.op_version().version();
    }
    if (desc.blocks().empty()) {
      throw Error("E_BAD_PROGRAM", "a program without blocks")
          .at(file_.path())
          .hint("the file is incomplete, or not a Paddle program");
    }
    for (const auto& block : desc.blocks()) add_block(block);
    validate_blocks(program_);
    extract_ports(program_);
    return std::move(program_);
  }

 private:
  Error bad(const std::string& place, const std::string& message) const {
    return Error("E_BAD_PROGRAM", message).at(file_.path() + ": " + place).hint(kExportAgain);
  }

  void add_block(const framework::BlockDesc& desc) {
    Block block;
    block.index = static_cast<std::int32_t>(program_.blocks.size());
    const std::string place = "block " + std::to_string(block.index);
    if (desc.idx() != block.index) {
      throw bad(place, "the block says that it is number " + std::to_string(desc.idx()));
    }
    block.parent = desc.has_parent_idx() ? desc.parent_idx() : -1;
    for (const auto& var : desc.vars()) {
      if (var.name().empty()) throw bad(place, "a variable without a name");
      Variable variable = make_variable(var);
      std::string name = variable.name;
      if (!block.variables.emplace(std::move(name), std::move(variable)).second) {
        throw bad(place, "variable '" + var.name() + "' is declared twice");
      }
    }
    block.ops.reserve(static_cast<std::size_t>(desc.ops_size()));
    for (const auto& op : desc.ops()) block.ops.push_back(make_op(op, block));
    program_.blocks.push_back(std::move(block));
  }

  Op make_op(const framework::OpDesc& desc, const Block& block) const {
    Op op;
    op.type = desc.type();
    op.block = block.index;
    op.index = static_cast<std::int32_t>(block.ops.size());
    if (op.type.empty()) throw bad(op.place(), "an operator without a type");
    op.inputs = make_slots(desc.inputs());
    op.outputs = make_slots(desc.outputs());
    op.attrs.reserve(static_cast<std::size_t>(desc.attrs_size()));
    for (const auto& attr : desc.attrs()) {
      if (attr.name() == kCallstack) {
        op.source = distill_callstack(copy_as<std::string>(attr.strings()));
        continue;
      }
      std::optional<AttributeValue> value = make_value(attr);
      if (!value || !attr.has_type()) {
        throw bad(op.place(), "attribute '" + attr.name() + "' is of the unknown kind " + std::to_string(attr.type()));
      }
      op.attrs.push_back({attr.name(), std::move(*value)});
    }
    return op;
  }

  const MappedFile& file_;
  Program program_;
};

}  // namespace

Program read_program_desc(const MappedFile& file) {
  framework::ProgramDesc desc;
  parse(file, &desc);
  return Builder(file).build(desc);
}

}  // namespace fluid2onnx
