// A file that appears complete or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fluid2onnx {

/// Writes into a temporary file of the same folder, which takes the wanted name when all is written and on the disk.
/// Until then nothing is seen under that name, and what was there before stays. A target that is no regular file
/// (/dev/stdout, a pipe) is written directly. All failures are Errors E_WRITE.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();  ///< without publish(): the temporary file is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Small pieces are gathered; large ones go straight from where they are (a mapped file) to the system.
  void write(std::span<const uint8_t> bytes);
  void write(std::string_view bytes) { write(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size())); }
  void pad_to(uint64_t alignment);
  uint64_t size() const { return size_; }
  /// False for pipes and devices.
  bool is_regular() const { return !temporary_.empty(); }

  /// All bytes are on the disk, still under the temporary name.
  void finish();
  /// Takes the wanted name.
  void publish();

 private:
  void flush();
  void send(const uint8_t* data, size_t size);
  [[noreturn]] void fail(const char* doing, int error) const;

  std::string path_;    // as asked for
  std::string target_;  // where symbolic links lead
  std::string temporary_;
  std::string buffer_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace fluid2onnx
