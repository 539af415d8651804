#include "runtime/paddle/write/program_bytes.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/paddle/proto/framework.pb.h"
#include "runtime/support/error.h"
#include "runtime/support/overloaded.h"
#include "runtime/support/wire.h"

namespace fluid2onnx {
namespace {

using framework::OpDesc;
using framework::VarDesc;

constexpr std::int64_t kPaddle = 2006002;  // 2.6.2
constexpr std::uint64_t kMostBytes = std::numeric_limits<int>::max();
constexpr char kFeed[] = "feed";
constexpr char kFetch[] = "fetch";
constexpr char kAbsent[] = "@EMPTY@";

// -- attributes ----------------------------------------------------------------------------------------------------

/// Numbers have the kind that most operators of Paddle declare; it makes others of them where an operator declares a
/// wider one. These are declared otherwise and taken as they are.
struct Wide {
  const char* op;
  const char* attr;
  framework::AttrKind kind;
};
constexpr Wide kWide[] = {
    {"assign_value", "fp64_values", framework::FLOAT64S},
    {"memory_efficient_attention", "dropout_p", framework::FLOAT64},
    {"set_value", "values", framework::SCALARS},
};

bool is_declared(const std::string& op, const std::string& attr, framework::AttrKind kind) {
  return std::any_of(std::begin(kWide), std::end(kWide),
                     [&](const Wide& wide) { return wide.kind == kind && wide.op == op && wide.attr == attr; });
}

bool fits(std::int64_t number) {
  return number >= std::numeric_limits<std::int32_t>::min() && number <= std::numeric_limits<std::int32_t>::max();
}

void set_scalar(const Number& number, framework::Scalar* scalar) {
  std::visit(Overloaded{[&](bool v) {
                          scalar->set_type(framework::SCALAR_BOOLEAN);
                          scalar->set_b(v);
                        },
                        [&](std::int64_t v) {
                          scalar->set_type(framework::SCALAR_LONG);
                          scalar->set_i(v);
                        },
                        [&](double v) {
                          scalar->set_type(framework::SCALAR_FLOAT64);
                          scalar->set_r(v);
                        },
                        [&](const std::complex<double>& v) {
                          scalar->set_type(framework::SCALAR_COMPLEX128);
                          scalar->mutable_c()->set_r(v.real());
                          scalar->mutable_c()->set_i(v.imag());
                        }},
             number);
}

class AttributeWriter {
 public:
  AttributeWriter(const std::string& op, const Attribute& attribute, OpDesc::Attr* attr)
      : op_(op), attribute_(attribute), attr_(*attr) {}

  void write() {
    attr_.set_name(attribute_.name);
    std::visit(*this, attribute_.value);
  }

  void operator()(bool v) {
    attr_.set_type(framework::BOOLEAN);
    attr_.set_b(v);
  }
  void operator()(std::int64_t v) {
    attr_.set_type(fits(v) ? framework::INT : framework::LONG);
    if (fits(v)) attr_.set_i(static_cast<std::int32_t>(v));
    else attr_.set_l(v);
  }
  void operator()(double v) {
    if (declared(framework::FLOAT64)) {
      attr_.set_type(framework::FLOAT64);
      attr_.set_float64(v);
    } else {
      attr_.set_type(framework::FLOAT);
      attr_.set_f(static_cast<float>(v));
    }
  }
  void operator()(const std::complex<double>& v) {
    attr_.set_type(framework::SCALAR);
    set_scalar(v, attr_.mutable_scalar());
  }
  void operator()(const std::string& v) {
    attr_.set_type(framework::TEXT);
    attr_.set_s(v);
  }
  void operator()(Dtype v) {
    attr_.set_type(framework::INT);
    attr_.set_i(dtype_to_paddle(v));
  }
  void operator()(const std::vector<bool>& list) {
    if (declared(framework::SCALARS)) return scalars(list);
    attr_.set_type(framework::BOOLEANS);
    for (const bool v : list) attr_.add_bools(v);
  }
  void operator()(const std::vector<std::int64_t>& list) {
    if (declared(framework::SCALARS)) return scalars(list);
    const bool narrow = std::all_of(list.begin(), list.end(), fits);
    attr_.set_type(narrow ? framework::INTS : framework::LONGS);
    for (const std::int64_t v : list) {
      if (narrow) attr_.add_ints(static_cast<std::int32_t>(v));
      else attr_.add_longs(v);
    }
  }
  void operator()(const std::vector<double>& list) {
    if (declared(framework::SCALARS)) return scalars(list);
    const bool wide = declared(framework::FLOAT64S);
    attr_.set_type(wide ? framework::FLOAT64S : framework::FLOATS);
    for (const double v : list) {
      if (wide) attr_.add_float64s(v);
      else attr_.add_floats(static_cast<float>(v));
    }
  }
  void operator()(const std::vector<std::string>& list) {
    attr_.set_type(framework::TEXTS);
    for (const std::string& v : list) attr_.add_strings(v);
  }
  void operator()(const std::vector<Number>& list) { scalars(list); }
  void operator()(const BlockRefs& refs) {
    const bool one = refs.blocks.size() == 1;
    attr_.set_type(one ? framework::BLOCK : framework::BLOCKS);
    if (one) attr_.set_block_idx(refs.blocks.front());
    for (const std::int32_t block : refs.blocks) {
      if (!one) attr_.add_blocks_idx(block);
    }
  }
  void operator()(const VariableRefs& refs) {
    attr_.set_type(refs.is_list ? framework::VARS : framework::VAR);
    for (const std::string& name : refs.names) {
      if (refs.is_list) attr_.add_vars_name(name);
      else attr_.set_var_name(name);
    }
  }

 private:
  bool declared(framework::AttrKind kind) const { return is_declared(op_, attribute_.name, kind); }

  template <class List>
  void scalars(const List& list) {
    attr_.set_type(framework::SCALARS);
    for (const auto& v : list) set_scalar(Number(v), attr_.add_scalars());
  }

  const std::string& op_;
  const Attribute& attribute_;
  OpDesc::Attr& attr_;
};

// -- operators and variables ---------------------------------------------------------------------------------------

void write_slots(const std::vector<Slot>& slots, google::protobuf::RepeatedPtrField<OpDesc::Var>* vars) {
  for (const Slot& slot : slots) {
    auto* var = vars->Add();
    var->set_parameter(slot.name);
    for (const std::string& name : slot.args) var->add_arguments(name.empty() ? kAbsent : name);
  }
}

OpDesc op_desc(const Op& op) {
  OpDesc desc;
  write_slots(op.inputs, desc.mutable_inputs());
  write_slots(op.outputs, desc.mutable_outputs());
  desc.set_type(op.type);
  for (const Attribute& attribute : op.attrs) AttributeWriter(op.type, attribute, desc.add_attrs()).write();
  return desc;
}

Op copy_of(const std::string& type, const char* input, const std::string& from, const std::string& to) {
  Op op;
  op.type = type;
  op.inputs = {{input, {from}}};
  op.outputs = {{"Out", {to}}};
  return op;
}

Op port(const std::string& type, const std::string& from, const std::string& to, std::size_t column) {
  Op op = copy_of(type, "X", from, to);
  op.attrs.push_back({"col", static_cast<std::int64_t>(column)});
  return op;
}

void set_tensor(const Variable& variable, framework::TensorDesc* tensor) {
  const Dtype dtype = variable.dtype == Dtype::undefined ? Dtype::float32 : variable.dtype;  // Paddle wants one
  tensor->set_data_type(dtype_to_paddle(dtype));
  if (!variable.dims) return;
  for (const std::int64_t dim : *variable.dims) tensor->add_dims(dim);
}

constexpr std::int32_t kRaw = 17;

VarDesc var_desc(const std::string& name, const Variable& variable) {
  VarDesc desc;
  desc.set_name(name);
  desc.set_persistable(variable.persistable);
  framework::VarType* type = desc.mutable_type();
  switch (variable.kind) {
    case VariableKind::tensor:
      type->set_type(framework::LOD_TENSOR);
      set_tensor(variable, type->mutable_lod_tensor()->mutable_tensor());
      type->mutable_lod_tensor()->set_lod_level(variable.lod_level);
      break;
    case VariableKind::tensor_array:
      type->set_type(framework::LOD_TENSOR_ARRAY);
      set_tensor(variable, type->mutable_tensor_array()->mutable_tensor());
      type->mutable_tensor_array()->set_lod_level(variable.lod_level);
      break;
    case VariableKind::selected_rows:
      type->set_type(framework::SELECTED_ROWS);
      set_tensor(variable, type->mutable_selected_rows());
      break;
    case VariableKind::sparse:
      type->set_type(framework::SPARSE_COO);
      set_tensor(variable, type->mutable_sparse_coo());
      break;
    case VariableKind::strings: type->set_type(framework::STRINGS); break;
    case VariableKind::feed: type->set_type(framework::FEED_MINIBATCH); break;
    case VariableKind::fetch: type->set_type(framework::FETCH_LIST); break;
    case VariableKind::step_scopes: type->set_type(framework::STEP_SCOPES); break;
    case VariableKind::other: type->set_type(kRaw); break;
  }
  return desc;
}

// -- blocks --------------------------------------------------------------------------------------------------------

void append_message(int field, const google::protobuf::MessageLite& message, std::string* out) {
  wire::append_delimited(field, message.ByteSizeLong(), out);
  message.AppendToString(out);
}

/// Operator by operator: as messages, a large program would take many times the memory.
class ProgramWriter {
 public:
  explicit ProgramWriter(const Program& program) : program_(program) {}

  std::string bytes() {
    std::string out;
    for (const Block& block : program_.blocks) {
      const std::string bytes = block_bytes(block);
      wire::append_delimited(framework::ProgramDesc::kBlocksFieldNumber, bytes.size(), &out);
      out += bytes;
    }
    framework::ProgramDesc rest;
    rest.mutable_version()->set_version(program_.version.value_or(kPaddle));
    for (const auto& [name, version] : program_.op_versions) {
      auto* pair = rest.mutable_op_version_map()->add_pair();
      pair->set_op_name(name);
      pair->mutable_op_version()->set_version(version);
    }
    rest.AppendToString(&out);
    if (out.size() > kMostBytes) {
      throw Error(E_TOO_LARGE, "the program has " + std::to_string(out.size()) + " bytes without its parameters, and " +
                                   "Paddle reads at most " + std::to_string(kMostBytes));
    }
    return out;
  }

 private:
  std::string block_bytes(const Block& block) {
    std::vector<Op> before, after;
    std::map<std::string, const Variable*> variables;
    for (const auto& [name, variable] : block.variables) variables[name] = &variable;
    if (block.index == 0) add_ports(&variables, &before, &after);

    framework::BlockDesc head;
    head.set_idx(block.index);
    head.set_parent_idx(block.parent);
    std::string out = head.SerializeAsString();
    for (const auto& [name, variable] : variables) {
      append_message(framework::BlockDesc::kVarsFieldNumber, var_desc(name, *variable), &out);
    }
    for (const std::vector<Op>* ops : {&std::as_const(before), &block.ops, &std::as_const(after)}) {
      for (const Op& op : *ops) append_message(framework::BlockDesc::kOpsFieldNumber, op_desc(op), &out);
    }
    return out;
  }

  /// Feeds come first, the last of them foremost, as Paddle has them.
  void add_ports(std::map<std::string, const Variable*>* variables, std::vector<Op>* before, std::vector<Op>* after) {
    feed_.kind = VariableKind::feed;
    fetch_.kind = VariableKind::fetch;
    for (auto* holder : {&feed_, &fetch_}) holder->persistable = true;
    (*variables)[kFeed] = &feed_;
    (*variables)[kFetch] = &fetch_;
    for (std::size_t i = program_.inputs.size(); i-- > 0;) {
      before->push_back(port(kFeed, kFeed, program_.inputs[i].name, i));
    }
    std::vector<Op> fetches;
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
      const Output& output = program_.outputs[i];
      const auto value = variables->find(output.value);
      std::string name = output.value;
      // Readers of the file see the variable's name.
      if (output.name != output.value && value != variables->end() && !variables->count(output.name)) {
        Variable& named = named_.emplace_back(*value->second);
        named.persistable = false;
        (*variables)[output.name] = &named;
        after->push_back(copy_of("assign", "X", output.value, output.name));
        name = output.name;
      }
      fetches.push_back(port(kFetch, name, kFetch, i));
    }
    after->insert(after->end(), fetches.begin(), fetches.end());
  }

  const Program& program_;
  Variable feed_, fetch_;
  std::deque<Variable> named_;  // of outputs
};

}  // namespace

std::string program_bytes(const Program& program) { return ProgramWriter(program).bytes(); }

}  // namespace fluid2onnx
