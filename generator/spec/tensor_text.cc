#include "generator/spec/tensor_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace opgen {
namespace {

using nlohmann::json;

const std::vector<std::string> kGenerators = {"sorted", "permutation", "boxes", "nonzero", "unique"};
constexpr const char* kHelp =
    "an operand is 'dtype[sizes]', then '= [values]', or 'in [low, high)' and words such as sorted";

bool is_float(const std::string& dtype) { return dtype.find("float") != std::string::npos; }
bool is_complex(const std::string& dtype) { return dtype.find("complex") != std::string::npos; }
bool is_integer(const std::string& dtype) { return dtype.find("int") != std::string::npos; }

class TensorParser {
 public:
  TensorParser(const Text& text, Diagnostics& diagnostics) : text_(text), in_(text.text), diagnostics_(diagnostics) {}

  std::optional<TensorExample> run() {
    dtype();
    dims();
    while (ok_ && !at_end()) modifier();
    if (ok_) check_words();
    if (!ok_) return std::nullopt;
    return std::move(tensor_);
  }

 private:
  void fail(size_t from, size_t length, const std::string& message, const std::string& help = "") {
    if (ok_) diagnostics_.error("bad-operand", span_at(text_, from, length), message, help);
    ok_ = false;
  }

  void skip_blanks() {
    while (at_ < in_.size() && std::isspace(static_cast<unsigned char>(in_[at_])) != 0) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ >= in_.size();
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ >= in_.size() || in_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(at_, 1, std::string("expected '") + c + "'", kHelp);
  }
  std::string word() {
    skip_blanks();
    const size_t from = at_;
    while (at_ < in_.size() && std::isalnum(static_cast<unsigned char>(in_[at_])) != 0) ++at_;
    return in_.substr(from, at_ - from);
  }

  void dtype() {
    const std::string name = word();
    const std::vector<std::string>& known = dtype_names();
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fail(0, std::max<size_t>(1, name.size()), "unknown dtype '" + name + "'" + did_you_mean(name, known),
                  kHelp);
    tensor_.dtype = name;
  }

  int64_t integer() {
    skip_blanks();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(in_.data() + at_, in_.data() + in_.size(), value);
    if (error != std::errc()) {
      fail(at_, 1, "expected an integer");
    } else {
      at_ = static_cast<size_t>(end - in_.data());
    }
    return value;
  }

  void dims() {
    if (!ok_) return;
    expect('[');
    if (!ok_ || accept(']')) return;
    do {
      skip_blanks();
      const size_t from = at_;
      const int64_t size = integer();
      if (ok_ && size < 0)
        fail(from, at_ - from, "a size cannot be negative", "write sizes, and 'dyn:' for dynamic ones");
      tensor_.dims.push_back(size);
    } while (ok_ && accept(','));
    if (ok_) expect(']');
  }

  void modifier() {
    const size_t from = at_;
    if (accept('=')) return values();
    const std::string name = word();
    if (name == "in") return range();
    if (name == "lod") return lod();
    if (std::find(kGenerators.begin(), kGenerators.end(), name) == kGenerators.end()) {
      std::vector<std::string> known = kGenerators;
      known.insert(known.end(), {"in", "lod"});
      return fail(from, std::max<size_t>(1, name.size()), "unknown word '" + name + "'" + did_you_mean(name, known),
                  kHelp);
    }
    if (std::find(tensor_.words.begin(), tensor_.words.end(), name) != tensor_.words.end())
      return fail(from, name.size(), "'" + name + "' is listed twice");
    tensor_.words.push_back(name);
  }

  double number() {
    skip_blanks();
    const char* const begin = in_.c_str() + at_;
    char* end = nullptr;
    const double value = std::strtod(begin, &end);
    if (end == begin) fail(at_, 1, "expected a number", "write a range as 'in [low, high)' or 'in [low, high]'");
    at_ += static_cast<size_t>(end - begin);
    return value;
  }

  void range() {
    skip_blanks();
    const size_t from = at_;
    TensorExample::Range range;
    expect('[');
    if (ok_) range.low = number();
    if (ok_) expect(',');
    if (ok_) range.high = number();
    if (!ok_) return;
    range.closed = accept(']');
    if (!range.closed) expect(')');
    if (!ok_) return;
    if (range.low > range.high || (range.low == range.high && !range.closed))
      return fail(from, at_ - from, "the range is empty");
    const auto whole = [](double bound) { return std::fabs(bound) < 0x1p63 && std::trunc(bound) == bound; };
    if (is_integer(tensor_.dtype) && !(whole(range.low) && whole(range.high)))
      return fail(from, at_ - from, "the bounds for integers must be integers");
    if (tensor_.dtype[0] == 'u' && range.low < 0)
      return fail(from, at_ - from, "the bounds for unsigned integers must not be negative");
    if (tensor_.range) return fail(from, at_ - from, "the tensor has a second range");
    tensor_.range = range;
  }

  /// `lod [0, 2, 5]`, once for each level.
  void lod() {
    skip_blanks();
    const size_t from = at_;
    std::vector<int64_t> level;
    expect('[');
    if (ok_) do
        level.push_back(integer());
      while (ok_ && accept(','));
    if (ok_) expect(']');
    if (!ok_) return;
    if (level.size() < 2 || level.front() != 0 || !std::is_sorted(level.begin(), level.end()))
      return fail(from, at_ - from, "offsets must begin with 0 and not decrease");
    tensor_.lod.push_back(std::move(level));
    lod_end_ = {from, at_ - from};
  }

  /// JSON, with inf and nan in addition.
  void values() {
    skip_blanks();
    const size_t from = at_;
    std::string text;
    for (; at_ < in_.size(); ++at_) {
      const bool minus = in_.compare(at_, 4, "-inf") == 0;
      if (minus || in_.compare(at_, 3, "inf") == 0 || in_.compare(at_, 3, "nan") == 0) {
        text += '"' + in_.substr(at_, minus ? 4 : 3) + '"';
        at_ += minus ? 3 : 2;
      } else {
        text += in_[at_];
      }
    }
    tensor_.values = json::parse(text, nullptr, false);
    if (tensor_.values.is_discarded())
      return fail(from, at_ - from, "the values are not nested lists of numbers",
                  "write 'int64[2, 2] = [[1, 2], [3, 4]]'");
    check_values(tensor_.values, 0, from, at_ - from);
  }

  void check_values(const json& value, size_t axis, size_t from, size_t length) {
    if (!ok_) return;
    if (axis == tensor_.dims.size()) {
      if (!fits(value)) fail(from, length, "'" + value.dump() + "' is not a value of '" + tensor_.dtype + "'");
      return;
    }
    const auto size = static_cast<size_t>(tensor_.dims[axis]);
    if (!value.is_array() || value.size() != size) {
      const std::string found = value.is_array() ? std::to_string(value.size()) : "'" + value.dump() + "'";
      return fail(
          from, length,
          "expected " + std::to_string(size) + " values along axis " + std::to_string(axis) + " but found " + found);
    }
    for (const json& item : value) check_values(item, axis + 1, from, length);
  }

  bool fits(const json& value) const {
    if (tensor_.dtype == "bool") return value.is_boolean();
    if (is_integer(tensor_.dtype)) return value.is_number_integer() && (tensor_.dtype[0] != 'u' || value >= 0);
    return value.is_number() || value.is_string();
  }

  bool has(const char* name) const {
    return std::find(tensor_.words.begin(), tensor_.words.end(), name) != tensor_.words.end();
  }

  void check_words() {
    const size_t size = in_.size();
    if (!tensor_.values.is_null() && (tensor_.range || !tensor_.words.empty()))
      return fail(0, size, "values cannot be combined with a range or words");
    if (has("boxes") && (!is_float(tensor_.dtype) || tensor_.dims.empty() || tensor_.dims.back() != 4))
      return fail(0, size, "boxes must be floats with a last axis of 4");
    if (has("permutation") && (!is_integer(tensor_.dtype) || tensor_.dims.empty()))
      return fail(0, size, "a permutation must be a list of integers");
    if (tensor_.range && (tensor_.dtype == "bool" || has("permutation")))
      return fail(0, size, "a range is not allowed for these values");
    if (is_complex(tensor_.dtype) && !tensor_.words.empty())
      return fail(0, size, "words are not allowed for complex values");
    check_range_width();
    if (!tensor_.lod.empty() && (tensor_.dims.empty() || tensor_.lod.back().back() != tensor_.dims.front()))
      fail(lod_end_.first, lod_end_.second, "the last offset is not the size of axis 0");
  }

  void check_range_width() {
    if (!has("unique") || !tensor_.range || !is_integer(tensor_.dtype)) return;
    double wanted = 1;
    for (const int64_t dim : tensor_.dims) wanted *= static_cast<double>(dim);
    if (wanted > tensor_.range->high - tensor_.range->low + (tensor_.range->closed ? 1 : 0))
      fail(0, in_.size(), "the range has fewer different values than the operand");
  }

  const Text& text_;
  const std::string& in_;
  Diagnostics& diagnostics_;
  TensorExample tensor_;
  std::pair<size_t, size_t> lod_end_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

const std::vector<std::string>& dtype_names() {
  static const std::vector<std::string> names = {"bool",    "int8",    "uint8",     "int16",
                                                 "int32",   "int64",   "float16",   "bfloat16",
                                                 "float32", "float64", "complex64", "complex128"};
  return names;
}

std::optional<TensorExample> parse_tensor(const Text& text, Diagnostics& diagnostics) {
  return TensorParser(text, diagnostics).run();
}

}  // namespace opgen
