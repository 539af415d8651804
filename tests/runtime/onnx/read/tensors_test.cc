#include "runtime/onnx/read/tensors.h"

#include <numeric>

#include "runtime/support/wire.h"
#include "tests/runtime/onnx/read/fixture.h"

namespace fluid2onnx::test {
namespace {

using onnx::ModelProto;
using onnx::TensorProto;

/// The model's one initializer, after the file was read.
struct Read {
  explicit Read(const TensorProto& proto) {
    ModelProto model = relu_model();
    *model.mutable_graph()->add_initializer() = proto;
    onnx = open_onnx(folder.write("m.onnx", model.SerializeAsString()));
  }
  Tensor tensor() { return tensor_of(onnx.model.graph().initializer(0), onnx); }
  Error error() {
    return error_of([&] { tensor(); });
  }

  TemporaryFolder folder;
  OnnxFile onnx;
};

TensorProto external(const std::string& location, const std::string& offset, const std::string& length,
                     const std::vector<int64_t>& dims = {4}) {
  TensorProto proto = tensor("w", TensorProto::FLOAT, dims);
  proto.set_data_location(TensorProto::EXTERNAL);
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"location", location}, {"offset", offset}, {"length", length}}) {
    if (value.empty()) continue;
    auto* entry = proto.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  return proto;
}

Floats floats(const Tensor& tensor) { return tensor.as_floats().value(); }
Ints ints(const Tensor& tensor) { return tensor.as_ints().value(); }

}  // namespace

TEST_CASE("every spelling of elements, small and large") {
  for (const int64_t count : {3, 2000}) {
    CAPTURE(count);
    const auto filled = [&](int type, const auto& fill) {
      TensorProto proto = tensor("w", type, {count});
      for (int64_t i = 0; i < count; ++i) fill(&proto, i);
      return Read(proto).tensor();
    };
    const auto in_int32 = [](TensorProto* p, int64_t i) { p->add_int32_data(static_cast<int32_t>(i % 100)); };
    Ints expected(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) expected[static_cast<size_t>(i)] = i % 100;

    for (const int type : {TensorProto::INT32, TensorProto::INT16, TensorProto::INT8, TensorProto::UINT16,
                           TensorProto::UINT8, TensorProto::BOOL}) {
      CAPTURE(type);
      const Tensor read = filled(type, in_int32);
      CHECK(read.dtype() == static_cast<Dtype>(type));
      CHECK(ints(read) == expected);
    }
    CHECK(ints(filled(TensorProto::INT64, [](TensorProto* p, int64_t i) { p->add_int64_data(i % 100); })) == expected);
    CHECK(ints(filled(TensorProto::INT64, [](TensorProto* p, int64_t i) { p->add_int64_data(-i); })).at(2) == -2);
    CHECK(ints(filled(TensorProto::INT8, [](TensorProto* p, int64_t) { p->add_int32_data(-7); })).at(2) == -7);
    for (const int type : {TensorProto::UINT64, TensorProto::UINT32}) {
      CHECK(ints(filled(type, [](TensorProto* p, int64_t i) { p->add_uint64_data(static_cast<uint64_t>(i % 100)); })) ==
            expected);
    }
    const auto half = [](TensorProto* p, int64_t) { p->add_int32_data(0x3e00); };  // 1.5, as bfloat16 0.125
    CHECK(floats(filled(TensorProto::FLOAT16, half)).at(2) == 1.5);
    CHECK(floats(filled(TensorProto::BFLOAT16, half)).at(2) == 0.125);
    const Tensor floats_read =
        filled(TensorProto::FLOAT, [](TensorProto* p, int64_t i) { p->add_float_data(i + 0.5f); });
    CHECK(floats(floats_read).at(2) == 2.5);
    CHECK((floats_read.slice() != nullptr) == (count > 3));
    const Tensor doubles = filled(TensorProto::DOUBLE, [](TensorProto* p, int64_t i) { p->add_double_data(i + 0.5); });
    CHECK(floats(doubles).at(2) == 2.5);
    CHECK((doubles.slice() != nullptr) == (count > 3));

    TensorProto raw = tensor("w", TensorProto::INT64, {count});
    raw.set_raw_data(bytes_of(expected));
    const Tensor read = Read(raw).tensor();
    CHECK(ints(read) == expected);
    CHECK((read.slice() != nullptr) == (count > 3));
  }
}

TEST_CASE("scalars and empty tensors") {
  TensorProto scalar = tensor("w", TensorProto::FLOAT, {});
  scalar.add_float_data(2.5f);
  CHECK(floats(Read(scalar).tensor()) == Floats{2.5});
  CHECK(Read(tensor("w", TensorProto::FLOAT, {0, 3})).tensor().count() == 0);
}

TEST_CASE("dims and data that do not fit") {
  const auto error = [](const TensorProto& proto) { return Read(proto).error(); };
  TensorProto proto = tensor("w", TensorProto::FLOAT, {2});
  proto.add_float_data(1);
  CHECK(error(proto).message() == "constant 'w' has 4 bytes of data, but its dims and type need 8 bytes");
  CHECK(error(tensor("w", TensorProto::FLOAT, {-2})).code() == E_TENSOR);
  CHECK(error(tensor("w", TensorProto::FLOAT, {int64_t{1} << 40, int64_t{1} << 40})).code() == E_TOO_LARGE);
  CHECK(error(tensor("w", TensorProto::FLOAT, {int64_t{1} << 50})).code() == E_TENSOR);
  CHECK(error(tensor("w", TensorProto::STRING, {0})).code() == E_CONSTANT_DTYPE);
  CHECK(error(tensor("w", TensorProto::INT4, {2})).message() ==
        "constant 'w' has elements of type INT4, which Paddle's tensors do not support");
  CHECK(error(tensor("w", 12345, {2})).code() == E_CONSTANT_DTYPE);

  TensorProto large = tensor("w", TensorProto::INT64, {int64_t{1} << 50});
  for (int i = 0; i < 2000; ++i) large.add_int64_data(i);
  CHECK(error(large).code() == E_TENSOR);
  large.set_dims(0, 1999);
  CHECK(error(large).code() == E_TENSOR);
  large.set_dims(0, 2001);
  CHECK(error(large).code() == E_TENSOR);
  large.set_dims(0, 2000);
  large.set_data_type(TensorProto::FLOAT);  // whose field is not int64_data
  CHECK(error(large).code() == E_TENSOR);

  TensorProto part = tensor("w", TensorProto::FLOAT, {0});
  part.mutable_segment()->set_begin(0);
  CHECK(error(part).code() == E_UNSUPPORTED);
}

TEST_CASE("external data") {
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6, 7, 8};
  const auto read = [&](const TensorProto& proto) {
    auto result = std::make_unique<Read>(proto);
    result->folder.write("w.bin", bytes_of(numbers));
    result->folder.write("deep/w.bin", bytes_of(numbers));
    return result;
  };
  CHECK(floats(read(external("w.bin", "", ""))->tensor()) == Floats{1, 2, 3, 4});
  CHECK(floats(read(external("deep/w.bin", "8", "16"))->tensor()) == Floats{3, 4, 5, 6});
  CHECK(read(external("./w.bin", "16", ""))->tensor().slice() != nullptr);

  CHECK(read(external("w.bin", "17", ""))->error().code() == E_TRUNCATED);
  CHECK(read(external("w.bin", "18446744073709551615", "16"))->error().code() == E_TRUNCATED);
  CHECK(read(external("w.bin", "16", "18446744073709551615"))->error().code() == E_TRUNCATED);
  CHECK(read(external("w.bin", "0", "20"))->error().code() == E_TENSOR);
  CHECK(read(external("w.bin", "-4", "16"))->error().code() == E_BAD_PARAMS);
  CHECK(read(external("w.bin", "0x4", "16"))->error().code() == E_BAD_PARAMS);
  CHECK(read(external("absent.bin", "", ""))->error().code() == E_NO_PARAMS);
  CHECK(read(external("", "", ""))->error().code() == E_BAD_PARAMS);
  CHECK(read(external("w.bin", "", "", {int64_t{1} << 58}))->error().code() == E_TRUNCATED);
  CHECK(read(external("deep", "", ""))->error().code() == E_NOT_A_FILE);
  CHECK(read(external(kInModel, "1000000", ""))->error().code() == E_TRUNCATED);
}

TEST_CASE("external data is in the model's folder and nowhere else") {
  TemporaryFolder elsewhere;
  const std::string outside = elsewhere.write("w.bin", bytes_of(std::vector<float>{1, 2, 3, 4}));
  CHECK(Read(external(outside, "", "")).error().code() == E_BAD_PARAMS);
  CHECK(Read(external("../w.bin", "", "")).error().code() == E_BAD_PARAMS);
  CHECK(Read(external("a/../../w.bin", "", "")).error().code() == E_BAD_PARAMS);
  CHECK(Read(external(std::string("w.bin\0", 6), "", "")).error().code() == E_BAD_PARAMS);

  Read linked(external("link.bin", "", ""));
  std::filesystem::create_symlink(outside, linked.folder.path("link.bin"));
  CHECK(linked.error().message() ==
        "constant 'w': the data is in 'link.bin', a link to a file outside of the model's folder");

  // As caches of models have it: both are links into one folder.
  TemporaryFolder cache;
  std::filesystem::copy(linked.folder.path("m.onnx"), elsewhere.path("blob"));
  std::filesystem::create_symlink(elsewhere.path("blob"), cache.path("m.onnx"));
  std::filesystem::create_symlink(outside, cache.path("link.bin"));
  OnnxFile onnx = open_onnx(cache.path("m.onnx"));
  CHECK(floats(tensor_of(onnx.model.graph().initializer(0), onnx)) == Floats{1, 2, 3, 4});
}

TEST_CASE("numbers of variable length that are cut off") {
  // Packed, in a field of 2,000 bytes, which stays in the file.
  const auto read = [](const std::string& packed, int64_t count) {
    TensorProto proto = tensor("w", TensorProto::INT64, {count});
    wire::append_delimited(TensorProto::kInt64DataFieldNumber, packed.size(), proto.mutable_unknown_fields());
    proto.mutable_unknown_fields()->append(packed);
    return Read(proto);
  };
  const std::string ones(2000, '\1');
  CHECK(ints(read(ones, 2000).tensor()).at(1999) == 1);
  CHECK(ints(read(ones.substr(0, 1998) + "\x80\1", 1999).tensor()).at(1998) == 128);
  const std::string message = "constant 'w' has 2000 bytes of data, but its dims and type need ";
  for (const std::string& end : {std::string("\1\x80"), std::string("\x80\x80")}) {
    Read cut = read(ones.substr(0, 1998) + end, 1999);
    CHECK(cut.error().code() == E_TENSOR);
    CHECK(cut.error().message() == message + "1999 elements");
  }
  CHECK(read(ones.substr(0, 1980) + std::string(20, '\xff'), 1981).error().message() == message + "1981 elements");
}

TEST_CASE("data in the model's file may have any field of their dtype") {
  const auto read = [](int type, const std::string& field) {
    TensorProto proto = external(kInModel, "2", "8", {1});
    proto.set_data_type(type);
    auto* entry = proto.add_external_data();
    entry->set_key("field");
    entry->set_value(field);
    return Read(proto);
  };
  CHECK(read(TensorProto::DOUBLE, "double_data").tensor().slice() != nullptr);
  CHECK(read(TensorProto::COMPLEX64, "float_data").tensor().slice() != nullptr);
  Read wrong = read(TensorProto::COMPLEX128, "float_data");
  CHECK(wrong.error().code() == E_TENSOR);
  CHECK(wrong.error().message() ==
        "constant 'w' of type complex128 has its elements in float_data, expected double_data");
}

TEST_CASE("a data file of several tensors is opened once") {
  const TemporaryFolder folder;
  ModelProto model = relu_model();
  for (const char* name : {"v", "w"}) {
    *model.mutable_graph()->add_initializer() = external("w.bin", "", "");
    model.mutable_graph()->mutable_initializer()->rbegin()->set_name(name);
  }
  folder.write("w.bin", bytes_of(std::vector<float>{1, 2, 3, 4}));
  OnnxFile onnx = open_onnx(folder.write("m.onnx", model.SerializeAsString()));
  for (const TensorProto& proto : onnx.model.graph().initializer()) {
    CHECK(floats(tensor_of(proto, onnx)) == Floats{1, 2, 3, 4});
  }
  CHECK(onnx.data.size() == 1);
}

TEST_CASE("a constant without a name") {
  TensorProto proto = tensor("", TensorProto::FLOAT, {2});
  OnnxFile onnx;
  CHECK(error_of([&] { tensor_of(proto, onnx); }).message() ==
        "a constant has 0 bytes of data, but its dims and type need 8 bytes");
  // Complex numbers are two of the field's.
  proto = tensor("", TensorProto::COMPLEX128, {1});
  for (const double part : {1.0, 2.0}) proto.add_double_data(part);
  CHECK(tensor_of(proto, onnx).bytes().size() == 16);
}

TEST_CASE("sparse tensors whose indices do not fit") {
  const auto error = [](const std::vector<int64_t>& dims_of_indices, const Ints& at, const std::vector<int64_t>& dims,
                        int type = TensorProto::INT64) {
    onnx::SparseTensorProto sparse;
    *sparse.mutable_values() = tensor("s", TensorProto::FLOAT, {2});
    for (const float value : {5.f, 6.f}) sparse.mutable_values()->add_float_data(value);
    *sparse.mutable_indices() = tensor("", type, dims_of_indices);
    for (const int64_t i : at) {
      if (type == TensorProto::INT64) sparse.mutable_indices()->add_int64_data(i);
      else sparse.mutable_indices()->add_int32_data(static_cast<int32_t>(i));
    }
    for (const int64_t d : dims) sparse.add_dims(d);
    OnnxFile onnx;
    const Error found = error_of([&] { tensor_of(sparse, onnx); });
    CHECK(found.code() == E_TENSOR);
    return found.message();
  };
  const std::string form =
      "sparse constant 's': expected int64 indices, one for each value or one for each of its axes";
  CHECK(error({3}, {0, 1, 2}, {4}) == form);
  CHECK(error({2}, {0, 1}, {4}, TensorProto::INT32) == form);
  CHECK(error({2, 1}, {0, 1}, {4, 4}) == form);
  CHECK(error({1, 2}, {0, 1}, {4, 4}) == form);
  CHECK(error({2, 0}, {}, {}) == form);
  const std::string range = "sparse constant 's': an index is out of range";
  CHECK(error({2}, {0, 4}, {4}) == range);
  CHECK(error({2}, {0, -1}, {4}) == range);
  CHECK(error({2, 2}, {0, 0, 0, 2}, {2, 2}) == range);
  CHECK(error({2, 2}, {0, 0, -1, 0}, {2, 2}) == range);
}

TEST_CASE("sparse tensors become dense") {
  onnx::SparseTensorProto sparse;
  *sparse.mutable_values() = tensor("s", TensorProto::FLOAT, {2});
  sparse.mutable_values()->add_float_data(5);
  sparse.mutable_values()->add_float_data(6);
  *sparse.mutable_indices() = tensor("", TensorProto::INT64, {2, 2});
  for (const int64_t i : {0, 1, 1, 2}) sparse.mutable_indices()->add_int64_data(i);
  sparse.add_dims(2);
  sparse.add_dims(3);
  OnnxFile onnx;
  CHECK(floats(tensor_of(sparse, onnx)) == Floats{0, 5, 0, 0, 0, 6});
  sparse.mutable_indices()->set_int64_data(3, 3);
  CHECK(error_of([&] { tensor_of(sparse, onnx); }).code() == E_TENSOR);
  sparse.mutable_indices()->clear_dims();
  sparse.mutable_indices()->add_dims(2);
  sparse.mutable_indices()->mutable_int64_data()->Truncate(2);
  CHECK(floats(tensor_of(sparse, onnx)) == Floats{5, 6, 0, 0, 0, 0});
  sparse.set_dims(0, int64_t{1} << 40);
  CHECK(error_of([&] { tensor_of(sparse, onnx); }).code() == E_TOO_LARGE);
}

}  // namespace fluid2onnx::test
