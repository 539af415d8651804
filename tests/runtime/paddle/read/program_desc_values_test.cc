#include "runtime/paddle/read/program_desc_values.h"

#include <complex>
#include <functional>

#include "tests/runtime/paddle/read/sample_programs.h"

namespace fluid2onnx {
namespace {

Variable variable_of(int type, const std::function<framework::TensorDesc*(framework::VarType*)>& elements = nullptr) {
  framework::VarDesc desc;
  desc.set_name("v");
  desc.mutable_type()->set_type(type);
  if (elements) {
    framework::TensorDesc* tensor = elements(desc.mutable_type());
    tensor->set_data_type(3);
    tensor->add_dims(-5);
    tensor->add_dims(7);
  }
  return make_variable(desc);
}

}  // namespace

TEST_CASE("kinds of variables, with and without a description of their elements") {
  using Type = framework::VarType;
  using Elements = std::function<framework::TensorDesc*(Type*)>;
  const struct {
    int type;
    VariableKind kind;
    Elements elements;
  } kinds[] = {
      {framework::LOD_TENSOR, VariableKind::tensor, [](Type* t) { return t->mutable_lod_tensor()->mutable_tensor(); }},
      {framework::LOD_TENSOR_ARRAY, VariableKind::tensor_array,
       [](Type* t) { return t->mutable_tensor_array()->mutable_tensor(); }},
      {framework::SELECTED_ROWS, VariableKind::selected_rows, [](Type* t) { return t->mutable_selected_rows(); }},
      {framework::SPARSE_COO, VariableKind::sparse, [](Type* t) { return t->mutable_sparse_coo(); }},
      {framework::SPARSE_CSR, VariableKind::sparse, [](Type* t) { return t->mutable_sparse_csr(); }},
      {framework::STRING, VariableKind::strings, [](Type* t) { return t->mutable_string(); }},
      {framework::STRINGS, VariableKind::strings, [](Type* t) { return t->mutable_strings(); }},
      {framework::VOCAB, VariableKind::strings, [](Type* t) { return t->mutable_vocab(); }},
  };
  for (const auto& [type, kind, elements] : kinds) {
    CAPTURE(type);
    const Variable full = variable_of(type, elements);
    CHECK(full.kind == kind);
    CHECK(full.dtype == Dtype::int64);
    CHECK(full.dims == Shape{-1, 7});
    const Variable bare = variable_of(type);
    CHECK(bare.kind == kind);
    CHECK(bare.dtype == Dtype::undefined);
    CHECK_FALSE(bare.dims);
    // A description of another kind is ignored.
    const Variable other = variable_of(
        type, type == framework::VOCAB ? kinds[0].elements : [](Type* t) { return t->mutable_vocab(); });
    CHECK(other.dtype == Dtype::undefined);
  }
  CHECK(variable_of(framework::PSTRING).kind == VariableKind::strings);
  CHECK(variable_of(framework::FEED_MINIBATCH).kind == VariableKind::feed);
  CHECK(variable_of(framework::FETCH_LIST).kind == VariableKind::fetch);
  CHECK(variable_of(framework::STEP_SCOPES).kind == VariableKind::step_scopes);
  for (const int type : {-1, 0, 12, 99}) CHECK(variable_of(type).kind == VariableKind::other);
}

TEST_CASE("elements without a type, and LoD levels") {
  framework::VarDesc desc;
  desc.mutable_type()->set_type(framework::LOD_TENSOR);
  desc.mutable_type()->mutable_lod_tensor()->mutable_tensor()->add_dims(2);
  desc.mutable_type()->mutable_lod_tensor()->set_lod_level(3);
  CHECK(make_variable(desc).dtype == Dtype::undefined);
  CHECK(make_variable(desc).dims == Shape{2});
  CHECK(make_variable(desc).lod_level == 3);
  desc.mutable_type()->set_type(framework::LOD_TENSOR_ARRAY);
  desc.mutable_type()->mutable_tensor_array()->set_lod_level(2);
  CHECK(make_variable(desc).lod_level == 2);
  desc.mutable_type()->set_type(framework::SELECTED_ROWS);
  CHECK(make_variable(desc).lod_level == 0);
}

TEST_CASE("scalars of each kind") {
  const auto scalar = [](int kind) {
    framework::Scalar made;
    made.set_type(kind);
    made.set_b(true);
    made.set_i(-5);
    made.set_r(0.5);
    made.mutable_c()->set_r(1);
    made.mutable_c()->set_i(2);
    return made;
  };
  const auto one = [&](int kind) {
    framework::OpDesc::Attr attr;
    attr.set_type(framework::SCALAR);
    *attr.mutable_scalar() = scalar(kind);
    return make_value(attr);
  };
  CHECK(one(framework::SCALAR_BOOLEAN) == AttributeValue(true));
  CHECK(one(framework::SCALAR_LONG) == AttributeValue(std::int64_t{-5}));
  CHECK(one(framework::SCALAR_FLOAT64) == AttributeValue(0.5));
  CHECK(one(framework::SCALAR_COMPLEX128) == AttributeValue(std::complex<double>(1, 2)));
  CHECK_FALSE(one(0));
  CHECK_FALSE(one(5));

  framework::OpDesc::Attr list;
  list.set_type(framework::SCALARS);
  *list.add_scalars() = scalar(framework::SCALAR_BOOLEAN);
  *list.add_scalars() = scalar(framework::SCALAR_FLOAT64);
  CHECK(make_value(list) == AttributeValue(std::vector<Number>{true, 0.5}));
  *list.add_scalars() = scalar(9);
  CHECK_FALSE(make_value(list));
}

}  // namespace fluid2onnx
