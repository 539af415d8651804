#include "runtime/support/mapped_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "runtime/support/error.h"
#include "runtime/support/platform.h"

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
    return Error(E_NOT_FOUND, "no such file").at(path);
  }
  if (error == ENOMEM) return Error(E_MEMORY, "not enough memory to " + doing).at(path);
  if (error == ENXIO) return Error(E_NOT_A_FILE, "is a socket or device, expected a regular file").at(path);
  return Error(E_IO, "cannot " + doing + ": " + std::strerror(error)).at(path);
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) throw system_error(path, "open the file", errno);
  struct stat info;
  if (::fstat(file.fd, &info) != 0) throw system_error(path, "read the file's size", errno);
  if (S_ISDIR(info.st_mode)) {
    throw Error(E_NOT_A_FILE, "is a folder, expected a file").at(path);
  }
  if (!S_ISREG(info.st_mode)) {
    throw Error(E_NOT_A_FILE, "is a pipe or device, expected a regular file")
        .at(path)
        .hint("copy the data into a file first");
  }
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const Identity identity{info.st_dev, info.st_ino};
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile(path, nullptr, 0, identity));
  if (size > std::numeric_limits<std::size_t>::max()) {
    throw Error(E_IO, "the file is larger than the address space").at(path);
  }
  const std::uint8_t* data = platform::map_file(file.fd, size);
  if (!data) throw system_error(path, "map the file into memory", errno);
  return std::shared_ptr<const MappedFile>(new MappedFile(path, data, size, identity));
}

MappedFile::~MappedFile() { platform::unmap_file(data_, size_); }

int MappedFile::reopen() const {
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  struct stat info;
  if (::fstat(fd, &info) == 0 && info.st_dev == identity_.device && info.st_ino == identity_.inode) return fd;
  ::close(fd);
  return -1;
}

void MappedFile::expect_jumps(bool jumps) const { platform::expect_jumps(data_, size_, jumps); }

void MappedFile::forget(std::uint64_t offset, std::uint64_t length) const {
  platform::give_back(data_, size_, offset, length);
}

}  // namespace fluid2onnx
