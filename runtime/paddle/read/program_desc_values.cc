#include "runtime/paddle/read/program_desc_values.h"

#include <complex>
#include <utility>
#include <vector>

#include "runtime/support/dtype.h"

namespace fluid2onnx {

using wire::Bytes;
using wire::for_each_field;

namespace {

VariableKind variable_kind(int32_t type) {
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

/// The part of a VarType that describes elements; null if the kind has none.
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

/// Nothing if the kind is unknown.
std::optional<Number> make_scalar(const framework::Scalar& scalar) {
  switch (scalar.type()) {
    case framework::SCALAR_BOOLEAN: return scalar.b();
    case framework::SCALAR_LONG: return scalar.i();
    case framework::SCALAR_FLOAT64: return scalar.r();
    case framework::SCALAR_COMPLEX128: return std::complex<double>(scalar.c().r(), scalar.c().i());
    default: return std::nullopt;
  }
}

template <class T, class List>
std::vector<T> copy_as(const List& list) {
  return std::vector<T>(list.begin(), list.end());
}

}  // namespace

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
    for (int64_t& dim : dims) {
      if (dim < 0) dim = -1;
    }
    variable.dims = std::move(dims);
  }
  return variable;
}

std::optional<AttributeValue> make_value(const framework::OpDesc::Attr& attr) {
  switch (attr.type()) {
    case framework::INT: return int64_t{attr.i()};
    case framework::LONG: return int64_t{attr.l()};
    case framework::FLOAT: return static_cast<double>(attr.f());
    case framework::FLOAT64: return attr.float64();
    case framework::BOOLEAN: return attr.b();
    case framework::TEXT: return attr.s();
    case framework::INTS: return copy_as<int64_t>(attr.ints());
    case framework::LONGS: return copy_as<int64_t>(attr.longs());
    case framework::FLOATS: return copy_as<double>(attr.floats());
    case framework::FLOAT64S: return copy_as<double>(attr.float64s());
    case framework::BOOLEANS: return copy_as<bool>(attr.bools());
    case framework::TEXTS: return copy_as<std::string>(attr.strings());
    case framework::BLOCK: return BlockRefs{{attr.block_idx()}};
    case framework::BLOCKS: return BlockRefs{copy_as<int32_t>(attr.blocks_idx())};
    case framework::VAR: return VariableRefs{{attr.var_name()}, false};
    case framework::VARS: return VariableRefs{copy_as<std::string>(attr.vars_name()), true};
    case framework::SCALAR: {
      const auto scalar = make_scalar(attr.scalar());
      if (!scalar) return std::nullopt;
      return std::visit([](const auto& v) { return AttributeValue(v); }, *scalar);
    }
    case framework::SCALARS: {
      std::vector<Number> scalars;
      for (const auto& one : attr.scalars()) {
        const auto scalar = make_scalar(one);
        if (!scalar) return std::nullopt;
        scalars.push_back(*scalar);
      }
      return scalars;
    }
    default: return std::nullopt;
  }
}

std::string_view attribute_name(Bytes bytes) {
  std::string_view name;
  for_each_field(bytes, [&](uint32_t tag, Bytes, Bytes value) {
    if (tag == wire::delimited(framework::OpDesc::Attr::kNameFieldNumber)) name = wire::text_of(value);
    return false;
  });
  return name;
}

}  // namespace fluid2onnx
