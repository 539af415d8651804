#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace fluid2onnx {

/// A regular file mapped read-only into memory for as long as this object lives. Pages are read when touched, so a file
/// of many gigabytes costs nothing until used. The descriptor is closed after mapping: thousands of parameter files
/// don't exhaust the limit of open files. reopen() returns another one for copies in the kernel.
///
/// The file must not be truncated by others while mapped; the system then kills the reader (SIGBUS).
class MappedFile {
 public:
  /// Errors: E_NOT_FOUND, E_NOT_A_FILE (directory, pipe, device), E_IO. An empty file is fine: size() is 0.
  static std::shared_ptr<const MappedFile> open(const std::string& path);

  /// That many zeros, which take neither memory nor disk until they are read. Errors: E_IO.
  static std::shared_ptr<const MappedFile> zeros(uint64_t size);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  std::span<const uint8_t> bytes() const { return {data_, static_cast<size_t>(size_)}; }

  /// The caller guarantees offset + length <= size().
  std::span<const uint8_t> bytes(uint64_t offset, uint64_t length) const {
    return bytes().subspan(static_cast<size_t>(offset), static_cast<size_t>(length));
  }

  /// A new descriptor of this very file, the caller's to close; -1 if path() is another file by now.
  int reopen() const;

  /// Whether the next reads are far from each other: then the system need not read ahead.
  void advise_random_access(bool random) const;

  /// Pages that were read count as memory of the process. This drops them; they come back when touched.
  void forget(uint64_t offset, uint64_t length) const;
  void forget() const { forget(0, size_); }

 private:
  // Device and inode.
  struct Identity {
    uint64_t volume, number;
  };

  MappedFile(std::string path, const uint8_t* data, uint64_t size, Identity identity)
      : path_(std::move(path)), data_(data), size_(size), identity_(identity) {}

  std::string path_;
  const uint8_t* data_;
  uint64_t size_;
  Identity identity_;
};

}  // namespace fluid2onnx
