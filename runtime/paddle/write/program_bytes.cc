#include "runtime/paddle/write/program_bytes.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/paddle/program/make_op.h"
#include "runtime/paddle/proto/framework.pb.h"
#include "runtime/support/error.h"
#include "runtime/support/overloaded.h"
#include "runtime/support/wire.h"

namespace fluid2onnx {
namespace {

using framework::OpDesc;
using framework::VarDesc;

constexpr int64_t kPaddle = 2006002;  // 2.6.2
constexpr uint64_t kMostBytes = std::numeric_limits<int>::max();
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

bool fits(int64_t number) {
  return number >= std::numeric_limits<int32_t>::min() && number <= std::numeric_limits<int32_t>::max();
}

void set_scalar(const Number& number, framework::Scalar* scalar) {
  std::visit(Overloaded{[&](bool v) {
                          scalar->set_type(framework::SCALAR_BOOLEAN);
                          scalar->set_b(v);
                        },
                        [&](int64_t v) {
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

template <class List>
void set_scalars(const List& list, OpDesc::Attr* attr) {
  attr->set_type(framework::SCALARS);
  for (const auto& v : list) set_scalar(Number(v), attr->add_scalars());
}

void write_attribute(const std::string& op, const Attribute& attribute, OpDesc::Attr* attr) {
  const auto declared = [&](framework::AttrKind kind) { return is_declared(op, attribute.name, kind); };
  attr->set_name(attribute.name);
  std::visit(Overloaded{[&](bool v) {
                          attr->set_type(framework::BOOLEAN);
                          attr->set_b(v);
                        },
                        [&](int64_t v) {
                          attr->set_type(fits(v) ? framework::INT : framework::LONG);
                          if (fits(v)) attr->set_i(static_cast<int32_t>(v));
                          else attr->set_l(v);
                        },
                        [&](double v) {
                          const bool wide = declared(framework::FLOAT64);
                          attr->set_type(wide ? framework::FLOAT64 : framework::FLOAT);
                          if (wide) attr->set_float64(v);
                          else attr->set_f(static_cast<float>(v));
                        },
                        [&](const std::complex<double>& v) {
                          attr->set_type(framework::SCALAR);
                          set_scalar(v, attr->mutable_scalar());
                        },
                        [&](const std::string& v) {
                          attr->set_type(framework::TEXT);
                          attr->set_s(v);
                        },
                        [&](Dtype v) {
                          attr->set_type(framework::INT);
                          attr->set_i(dtype_to_paddle(v));
                        },
                        [&](const std::vector<bool>& list) {
                          if (declared(framework::SCALARS)) return set_scalars(list, attr);
                          attr->set_type(framework::BOOLEANS);
                          for (const bool v : list) attr->add_bools(v);
                        },
                        [&](const std::vector<int64_t>& list) {
                          if (declared(framework::SCALARS)) return set_scalars(list, attr);
                          const bool narrow = std::all_of(list.begin(), list.end(), fits);
                          attr->set_type(narrow ? framework::INTS : framework::LONGS);
                          for (const int64_t v : list) {
                            if (narrow) attr->add_ints(static_cast<int32_t>(v));
                            else attr->add_longs(v);
                          }
                        },
                        [&](const std::vector<double>& list) {
                          if (declared(framework::SCALARS)) return set_scalars(list, attr);
                          const bool wide = declared(framework::FLOAT64S);
                          attr->set_type(wide ? framework::FLOAT64S : framework::FLOATS);
                          for (const double v : list) {
                            if (wide) attr->add_float64s(v);
                            else attr->add_floats(static_cast<float>(v));
                          }
                        },
                        [&](const std::vector<std::string>& list) {
                          attr->set_type(framework::TEXTS);
                          for (const std::string& v : list) attr->add_strings(v);
                        },
                        [&](const std::vector<Number>& list) { set_scalars(list, attr); },
                        [&](const BlockRefs& refs) {
                          const bool one = refs.blocks.size() == 1;
                          attr->set_type(one ? framework::BLOCK : framework::BLOCKS);
                          for (const int32_t block : refs.blocks) {
                            if (one) attr->set_block_idx(block);
                            else attr->add_blocks_idx(block);
                          }
                        },
                        [&](const VariableRefs& refs) {
                          attr->set_type(refs.is_list ? framework::VARS : framework::VAR);
                          for (const std::string& name : refs.names) {
                            if (refs.is_list) attr->add_vars_name(name);
                            else attr->set_var_name(name);
                          }
                        }},
             attribute.value);
}

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
  for (const Attribute& attribute : op.attrs) write_attribute(op.type, attribute, desc.add_attrs());
  return desc;
}

Op port(const char* type, const std::string& from, const std::string& to, size_t column) {
  return make_op(type, {{"X", {from}}}, {{"Out", {to}}}, {{"col", static_cast<int64_t>(column)}});
}

void set_tensor(const Variable& variable, framework::TensorDesc* tensor) {
  const Dtype dtype = variable.dtype == Dtype::undefined ? Dtype::float32 : variable.dtype;  // Paddle wants one
  tensor->set_data_type(dtype_to_paddle(dtype));
  if (!variable.dims) return;
  for (const int64_t dim : *variable.dims) tensor->add_dims(dim);
}

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
    case VariableKind::feed: type->set_type(framework::FEED_MINIBATCH); break;
    case VariableKind::fetch: type->set_type(framework::FETCH_LIST); break;
    case VariableKind::step_scopes: type->set_type(framework::STEP_SCOPES); break;
    default: throw Error(E_INTERNAL, "'" + name + "' is a variable that no converter makes");
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
    for (size_t i = program_.inputs.size(); i-- > 0;) {
      before->push_back(port(kFeed, kFeed, program_.inputs[i].name, i));
    }
    std::vector<Op> fetches;
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      const Output& output = program_.outputs[i];
      const auto value = variables->find(output.value);
      std::string name = output.value;
      // Readers of the file see the variable's name.
      if (output.name != output.value && value != variables->end() && !variables->count(output.name)) {
        Variable& named = named_.emplace_back(*value->second);
        named.persistable = false;
        (*variables)[output.name] = &named;
        after->push_back(make_op("assign", {{"X", {output.value}}}, {{"Out", {output.name}}}));
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
