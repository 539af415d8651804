#include "runtime/paddle/read/wire_problem.h"

#include <google/protobuf/descriptor.h>

#include <map>

namespace fluid2onnx {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

class Walker {
 public:
  explicit Walker(std::span<const uint8_t> data) : data_(data) {}

  // False at the first error; problem() then describes it.
  bool walk(const Descriptor& message, uint64_t end, const std::string& path);

  const WireProblem& problem() const { return problem_; }

 private:
  bool fail(const std::string& path, const std::string& what, bool at_end) {
    problem_ = {position_, path, what, at_end};
    return false;
  }
  bool read_varint(uint64_t end, const std::string& path, uint64_t* value);
  bool skip(uint64_t length, uint64_t end, const std::string& path);
  bool walk_packed_varints(uint64_t end, const std::string& path);

  std::span<const uint8_t> data_;
  uint64_t position_ = 0;
  WireProblem problem_;
};

bool Walker::read_varint(uint64_t end, const std::string& path, uint64_t* value) {
  *value = 0;
  for (uint64_t i = 0; i < 10; ++i) {
    if (position_ + i >= end) return fail(path, "a number that is cut off", end == data_.size());
    const uint8_t byte = data_[position_ + i];
    *value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      position_ += i + 1;
      return true;
    }
  }
  return fail(path, "a number of more than 10 bytes", false);
}

bool Walker::skip(uint64_t length, uint64_t end, const std::string& path) {
  const uint64_t left = end - position_;
  if (length <= left) {
    position_ += length;
    return true;
  }
  return fail(path, "a field of " + std::to_string(length) + " bytes, but only " + std::to_string(left) + " are left",
              end == data_.size());
}

bool Walker::walk_packed_varints(uint64_t end, const std::string& path) {
  uint64_t ignored;
  while (position_ < end) {
    if (!read_varint(end, path, &ignored)) return false;
  }
  return true;
}

bool Walker::walk(const Descriptor& message, uint64_t end, const std::string& path) {
  std::map<uint64_t, uint64_t> counts;  // of each repeated field so far
  while (position_ < end) {
    uint64_t tag;
    const uint64_t start = position_;
    if (!read_varint(end, path, &tag)) return false;
    const uint64_t number = tag >> 3;
    const FieldDescriptor* field = number < (1u << 29) ? message.FindFieldByNumber(static_cast<int>(number)) : nullptr;
    std::string inner = path;
    if (field) {
      inner += (path.empty() ? "" : ".") + field->name();
      if (field->is_repeated()) inner += "[" + std::to_string(counts[number]++) + "]";
    }
    uint64_t length = 0;
    switch (number == 0 ? 7 : tag & 7) {
      case kVarint:
        if (!read_varint(end, inner, &length)) return false;
        break;
      case kFixed64:
        if (!skip(8, end, inner)) return false;
        break;
      case kFixed32:
        if (!skip(4, end, inner)) return false;
        break;
      case kLengthDelimited: {
        if (!read_varint(end, inner, &length)) return false;
        if (length > end - position_) return skip(length, end, inner);
        const uint64_t stop = position_ + length;
        const bool is_message = field && field->message_type();
        const bool is_number =
            field && (field->type() == FieldDescriptor::TYPE_INT32 || field->type() == FieldDescriptor::TYPE_INT64 ||
                      field->type() == FieldDescriptor::TYPE_BOOL);
        if (is_message && !walk(*field->message_type(), stop, inner)) return false;
        if (is_number && field->is_repeated() && !walk_packed_varints(stop, inner)) return false;
        position_ = stop;
        break;
      }
      default:
        position_ = start;
        return fail(path,
                    "a field with number " + std::to_string(number) + " and wire type " + std::to_string(tag & 7) +
                        ", which Paddle does not write",
                    false);
    }
  }
  return true;
}

}  // namespace

std::optional<WireProblem> find_wire_problem(std::span<const uint8_t> data, const Descriptor& message) {
  Walker walker(data);
  if (walker.walk(message, data.size(), "")) return std::nullopt;
  return walker.problem();
}

}  // namespace fluid2onnx
