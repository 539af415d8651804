#include "runtime/support/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

Error system_error(const std::string& path, const std::string& doing, int error) {
  if (error == ENOENT || error == ENOTDIR) {
    return Error("E_NOT_FOUND", "no such file").at(path);
  }
  return Error("E_IO", "cannot " + doing + ": " + std::strerror(error)).at(path);
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) throw system_error(path, "open the file", errno);
  struct stat info;
  if (::fstat(file.fd, &info) != 0) throw system_error(path, "read the file's size", errno);
  if (S_ISDIR(info.st_mode)) {
    throw Error("E_NOT_A_FILE", "is a folder, expected a file").at(path);
  }
  if (!S_ISREG(info.st_mode)) {
    throw Error("E_NOT_A_FILE", "is a pipe or device, expected a regular file")
        .at(path)
        .hint("copy the data into a file first; the converter maps its input into memory");
  }
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile(path, nullptr, 0));
  if (size > std::numeric_limits<std::size_t>::max()) {
    throw Error("E_IO", "the file is larger than the address space").at(path);
  }
  void* data = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) throw system_error(path, "map the file into memory", errno);
  return std::shared_ptr<const MappedFile>(new MappedFile(path, static_cast<const std::uint8_t*>(data), size));
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::uint8_t*>(data_), static_cast<std::size_t>(size_));
}

}  // namespace fluid2onnx
