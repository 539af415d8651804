#include "runtime/to_paddle/kernel_dtypes.h"

#include <doctest/doctest.h>

using namespace fluid2onnx;

namespace {

FluidOperator add_operator() {
  FluidOperator op;
  op.type = "elementwise_add";
  op.inputs = read_slots("X Y");
  return op;
}

Value tensor(Model& model, Dtype dtype) {
  const Value v = model.new_value("x");
  model.set_type(v, tensor_type(dtype, Ints{2}));
  return v;
}

}  // namespace

TEST_CASE("the first slot decides the dtype if it holds floats") {
  Model model(17);
  FluidOperator op = add_operator();
  op.dtypes = {Dtype::float32, Dtype::int64};
  const KernelDtypes found =
      kernel_dtypes(model, op, {{"X", tensor(model, Dtype::float32)}, {"Y", tensor(model, Dtype::int64)}});
  CHECK(found.usual == Dtype::float32);
  CHECK(found.computed == Dtype::float32);
}

TEST_CASE("a kernel of a larger dtype replaces one that is missing") {
  Model model(17);
  FluidOperator op = add_operator();
  op.dtypes = {Dtype::float32};
  const KernelDtypes found = kernel_dtypes(model, op, {{"X", tensor(model, Dtype::float16)}});
  CHECK(found.usual == Dtype::float16);
  CHECK(found.computed == Dtype::float32);
}

TEST_CASE("no kernel") {
  Model model(17);
  FluidOperator op = add_operator();
  op.dtypes = {Dtype::float32};
  const KernelDtypes found = kernel_dtypes(model, op, {{"X", tensor(model, Dtype::complex64)}});
  CHECK(found.usual == Dtype::complex64);
  CHECK(found.computed == Dtype::undefined);
}
