#include "runtime/support/mapped_file.h"

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
  Descriptor file{platform::open_for_reading(path)};
  const int error = errno;
  // Windows opens no folders.
  const auto info = file.fd < 0 ? platform::file_info(path) : platform::file_info(file.fd);
  if (info && info->kind == platform::FileInfo::Kind::folder) {
    throw Error(E_NOT_A_FILE, "is a folder, expected a file").at(path);
  }
  if (file.fd < 0) throw system_error(path, "open the file", error);
  if (!info) throw system_error(path, "read the file's size", errno);
  if (info->kind != platform::FileInfo::Kind::regular) {
    throw Error(E_NOT_A_FILE, "is a pipe or device, expected a regular file")
        .at(path)
        .hint("copy the data into a file first");
  }
  const Identity identity{info->volume, info->number};
  if (info->size == 0) return std::shared_ptr<const MappedFile>(new MappedFile(path, nullptr, 0, identity));
  if (info->size > std::numeric_limits<size_t>::max()) {
    throw Error(E_IO, "the file is larger than the address space").at(path);
  }
  const uint8_t* data = platform::map_file(file.fd, info->size);
  if (!data) throw system_error(path, "map the file into memory", errno);
  return std::shared_ptr<const MappedFile>(new MappedFile(path, data, info->size, identity));
}

std::shared_ptr<const MappedFile> MappedFile::zeros(uint64_t size) {
  const uint8_t* data = size == 0 ? nullptr : platform::map_zeros(size);
  if (!data && size != 0) throw Error(E_IO, std::string("no temporary file: ") + std::strerror(errno));
  return std::shared_ptr<const MappedFile>(new MappedFile("", data, size, {0, 0}));
}

MappedFile::~MappedFile() { platform::unmap_file(data_, size_); }

int MappedFile::reopen() const {
  if (path_.empty()) return -1;
  const int fd = platform::open_for_reading(path_);
  if (fd < 0) return -1;
  const auto info = platform::file_info(fd);
  if (info && info->volume == identity_.volume && info->number == identity_.number) return fd;
  ::close(fd);
  return -1;
}

void MappedFile::advise_random_access(bool random) const { platform::advise_random_access(data_, size_, random); }

void MappedFile::forget(uint64_t offset, uint64_t length) const {
  platform::release_pages(data_, size_, offset, length);
}

}  // namespace fluid2onnx
