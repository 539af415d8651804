#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace google::protobuf {
class Descriptor;
}

namespace fluid2onnx {

/// Where a protobuf is damaged.
struct WireProblem {
  uint64_t offset = 0;  ///< in bytes from the start of the data
  std::string path;     ///< "blocks[0].ops[12].attrs[3]"; "" at the top
  std::string what;     ///< "a field of 120 bytes, but only 31 are left"
  bool at_end = false;  ///< the data ends too early (otherwise it is wrong inside)
};

/// Libprotobuf only reports that parsing failed. This walks the wire format again and finds the place.
/// Empty if nothing is wrong.
std::optional<WireProblem> find_wire_problem(std::span<const uint8_t> data,
                                             const google::protobuf::Descriptor& message);

}  // namespace fluid2onnx
