// A constant tensor of the graph: in memory, inside a mapped file, or computed when it is written.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/support/dtype.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/value.h"

namespace fluid2onnx {

/// Bytes inside a mapped file: never copied.
struct FileSlice {
  std::shared_ptr<const MappedFile> file;
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// The product of dims; 1 for none. Throws E_TOO_LARGE when it does not fit.
int64_t element_count(const Ints& dims);

class Tensor;
enum class Overflow : uint8_t;

/// A tensor that is the result of one ONNX operator on other constants. The writer computes such tensors one at a
/// time, so that re-laid-out weights of any size cost memory only while they are written.
struct LazyTensor {
  std::string op;
  int opset = 0;
  Attrs attrs;
  std::vector<Tensor> inputs;  ///< dtype undefined: left out
  int result = 0;              ///< which of the results
  int results = 1;
};

/// Little endian, row-major, contiguous. Cheap to copy: copies share their bytes.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Dtype dtype, Ints dims, std::vector<uint8_t> bytes);
  Tensor(Dtype dtype, Ints dims, FileSlice slice);
  /// What the operator makes of the constants, computed when it is written. Nothing unless a kernel certainly gives it:
  /// this cannot be undone.
  static std::optional<Tensor> computed(Dtype dtype, Ints dims, LazyTensor lazy);

  template <class T>
  static Tensor of(Dtype dtype, Ints dims, const std::vector<T>& elements) {
    std::vector<uint8_t> bytes(elements.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
    return Tensor(dtype, std::move(dims), std::move(bytes));
  }
  static Tensor int64s(const Ints& elements) {
    return of(Dtype::int64, {static_cast<int64_t>(elements.size())}, elements);
  }
  static Tensor int64_scalar(int64_t element) { return of(Dtype::int64, {}, Ints{element}); }

  Dtype dtype() const { return dtype_; }
  const Ints& dims() const { return dims_; }
  int64_t rank() const { return static_cast<int64_t>(dims_.size()); }
  int64_t count() const { return count_; }
  uint64_t byte_size() const { return static_cast<uint64_t>(count_) * dtype_size(dtype_); }

  const FileSlice* slice() const { return file_.file ? &file_ : nullptr; }
  const LazyTensor* lazy() const { return lazy_.get(); }

  /// A sum of weights, computed when it is written, or now if it is small. Nothing if the sum would have too many
  /// summands to be computed at once, or no kernel adds the dtype. The dims are equal.
  static std::optional<Tensor> sum(const Tensor& a, const Tensor& b, int opset);

  /// The same elements under other dims of the same count.
  Tensor reshaped(Ints dims) const;
  /// The same tensor with bytes at hand: itself, or what a lazy one computes.
  Tensor evaluated() const;
  /// Not aligned: read elements with memcpy. Not for lazy tensors: call evaluated() first.
  std::span<const uint8_t> bytes() const;
  /// A copy of the elements. T has the size of the dtype's elements (bool: uint8_t).
  template <class T>
  std::vector<T> elements() const {
    const Tensor ready = evaluated();
    std::vector<T> result(static_cast<size_t>(count_));
    if (!result.empty()) std::memcpy(result.data(), ready.bytes().data(), result.size() * sizeof(T));
    return result;
  }

  /// All elements as numbers; nothing if the dtype has no such numbers (or a float is no integer).
  std::optional<Ints> as_ints() const;
  std::optional<Floats> as_floats() const;

 private:
  friend Tensor narrowed(const Tensor& tensor, Dtype to, Overflow overflow);
  Tensor(Dtype dtype, Ints dims, LazyTensor lazy);

  Dtype dtype_ = Dtype::undefined;
  Ints dims_;
  int64_t count_ = 0;
  std::shared_ptr<const std::vector<uint8_t>> owned_;
  FileSlice file_;
  std::shared_ptr<const LazyTensor> lazy_;
};

// Conversions of the 16-bit floats, rounding to nearest even.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
float bfloat16_to_float(uint16_t bits);
uint16_t float_to_bfloat16(float value);

}  // namespace fluid2onnx
