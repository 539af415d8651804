#include "runtime/support/platform.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif
#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22  // not in musl's headers
#endif

namespace fluid2onnx::platform {
namespace {

/// Allocates nothing, because that may throw while nothing owns the descriptor.
std::array<char, 32> own_path(int fd) {
  std::array<char, 32> path;
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", fd);
  return path;
}

#ifdef __EMSCRIPTEN__
/// From this size on, malloc() has no blocks.
constexpr uint64_t large_block = 1u << 31;

/// Emscripten's own pread() loses the upper bits of the offset.
ssize_t pread(int fd, void* data, size_t size, off_t offset) {
  return ::lseek(fd, offset, SEEK_SET) < 0 ? -1 : ::read(fd, data, size);
}

/// Several sbrk() make one block, because nothing else allocates in between.
uint8_t* new_block(uint64_t size) {
  if (size < large_block) return new (std::nothrow) uint8_t[static_cast<size_t>(size)];
  void* const data = ::sbrk(0);
  for (uint64_t done = 0; done < size;) {
    const uint64_t more = std::min<uint64_t>((size - done + 15) / 16 * 16, large_block / 2);
    if (::sbrk(static_cast<std::intptr_t>(more)) == reinterpret_cast<void*>(-1)) return nullptr;
    done += more;
  }
  return static_cast<uint8_t*>(data);
}

/// A large block is kept: each call of the module has a new instance.
void delete_block(const uint8_t* data, uint64_t size) {
  if (size < large_block) delete[] data;
}
#else
using ::pread;

uint8_t* new_block(uint64_t size) { return new (std::nothrow) uint8_t[static_cast<size_t>(size)]; }

void delete_block(const uint8_t* data, uint64_t) { delete[] data; }
#endif

/// All of the file in memory; null, with errno.
const uint8_t* read_file(int fd, uint64_t size) {
  auto* data = new_block(size);
  if (!data) errno = ENOMEM;
  for (uint64_t done = 0; data && done < size;) {
    const ssize_t n = pread(fd, data + done, static_cast<size_t>(std::min<uint64_t>(size - done, 1u << 30)),
                            static_cast<off_t>(done));
    if (n > 0) {
      done += static_cast<uint64_t>(n);
    } else if (n == 0 || errno != EINTR) {
      if (n == 0) errno = EIO;  // it has become shorter
      delete_block(data, size);
      data = nullptr;
    }
  }
  return data;
}

FileInfo info(const struct stat& found) {
  const FileInfo::Kind kind = S_ISREG(found.st_mode)    ? FileInfo::Kind::regular
                              : S_ISDIR(found.st_mode)  ? FileInfo::Kind::folder
                              : S_ISFIFO(found.st_mode) ? FileInfo::Kind::pipe
                                                        : FileInfo::Kind::device;
  return {kind, static_cast<uint64_t>(found.st_size), static_cast<uint64_t>(found.st_dev),
          static_cast<uint64_t>(found.st_ino)};
}

/// A file that is a hole, and has no name.
int open_hole(uint64_t size) {
  std::error_code none;
  const auto folder = std::filesystem::temp_directory_path(none);
  if (none) {
    errno = none.value();
    return -1;
  }
  std::string path = (folder / "fluid2onnx-XXXXXX").string();
  const int fd = ::mkstemp(path.data());
  if (fd < 0) return -1;
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ::unlink(path.c_str());
  if (::ftruncate(fd, static_cast<off_t>(size)) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

}  // namespace

bool native() {
  static const bool is = std::getenv("FLUID2ONNX_PORTABLE") == nullptr;
  return is;
}

std::optional<FileInfo> file_info(const std::string& path) {
  struct stat found;
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return info(found);
}

std::optional<FileInfo> file_info(int fd) {
  struct stat found;
  if (::fstat(fd, &found) != 0) return std::nullopt;
  return info(found);
}

int open_for_reading(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

int open_for_writing(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  // Only the opening must not wait.
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0 && ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

int create_file(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }

int open_for_appending(const std::string& path, bool emptied) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (emptied ? O_TRUNC : 0), 0666);
}

bool is_disk_full(int error) { return error == ENOSPC || error == EDQUOT; }

int64_t read_at(int fd, void* data, size_t size, uint64_t offset) {
  return pread(fd, data, size, static_cast<off_t>(offset));
}

int64_t write_some(int fd, const void* data, size_t size) { return ::write(fd, data, size); }

void wait_for_input(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  ::poll(&waiting, 1, -1);
}

bool sync_file(int fd) { return ::fsync(fd) == 0; }

void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

bool replace_file(const std::string& from, const std::string& to) { return ::rename(from.c_str(), to.c_str()) == 0; }

void remove_file(const char* path) noexcept { ::unlink(path); }

StandardStreams::StandardStreams() = default;
StandardStreams::~StandardStreams() = default;

bool is_terminal(int fd) { return ::isatty(fd) != 0; }

int open_nameless(const std::string& folder) {
#ifdef O_TMPFILE
  if (native()) {
    const int fd = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (fd < 0 || ::access(own_path(fd).data(), F_OK) == 0) return fd;
    ::close(fd);
  }
#endif
  static_cast<void>(folder);
  return -1;
}

bool name_file(int fd, const std::string& name) {
  return ::linkat(AT_FDCWD, own_path(fd).data(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

namespace {

/// False if the name is another file's, or is free.
bool is_name_of(int fd, const std::string& name) {
  struct stat file, named;
  return ::fstat(fd, &file) == 0 && ::lstat(name.c_str(), &named) == 0 && file.st_dev == named.st_dev &&
         file.st_ino == named.st_ino;
}

/// False where the file system has no locks, or another process has this one.
bool lock(int fd, int operation) {
  int result = -1;
  do result = ::flock(fd, operation);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

bool lock_file(int fd, const std::string& name) { return !lock(fd, LOCK_EX) || name.empty() || is_name_of(fd, name); }

void remove_unlocked(const std::string& name) {
  const int before = errno;
  const int fd = ::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) {
    // With the lock, no other process removes the file, and its owner has ended.
    if (lock(fd, LOCK_EX | LOCK_NB) && is_name_of(fd, name)) ::unlink(name.c_str());
    ::close(fd);
  }
  errno = before;
}

const uint8_t* map_file(int fd, uint64_t size) {
  if (!native()) return read_file(fd, size);
  void* data = ::mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_PRIVATE, fd, 0);
  return data == MAP_FAILED ? nullptr : static_cast<const uint8_t*>(data);
}

const uint8_t* map_zeros(uint64_t size) {
  const int fd = open_hole(size);
  if (fd < 0) return nullptr;
  const uint8_t* data = map_file(fd, size);
  const int error = errno;
  ::close(fd);
  errno = error;
  return data;
}

void unmap_file(const uint8_t* data, uint64_t size) {
  if (!native()) {
    delete_block(data, size);
  } else if (data) {
    ::munmap(const_cast<uint8_t*>(data), static_cast<size_t>(size));
  }
}

void advise_random_access(const uint8_t* data, uint64_t size, bool random) {
  if (size == 0 || !native()) return;
  ::madvise(const_cast<uint8_t*>(data), static_cast<size_t>(size), random ? MADV_RANDOM : MADV_NORMAL);
}

bool prefetch(std::span<const uint8_t> bytes) {
#ifdef MADV_POPULATE_READ
  // One call instead of a page fault for every few pages. Without support by the system, the faults occur.
  if (native()) {
    const auto address = reinterpret_cast<uintptr_t>(bytes.data());
    static const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    const uintptr_t start = address / page * page;
    void* pages = reinterpret_cast<void*>(start);
    return ::madvise(pages, bytes.size() + (address - start), MADV_POPULATE_READ) == 0 || errno != EFAULT;
  }
#endif
  static_cast<void>(bytes);
  return true;
}

void release_pages(const uint8_t* data, uint64_t size, uint64_t offset, uint64_t length) {
  if (length == 0 || !native()) return;
  // Linux maps all of a large folio where one page of it is touched.
  const uint64_t start = offset / kMapUnit * kMapUnit;
  const uint64_t end = std::min(size, (offset + length + kMapUnit - 1) / kMapUnit * kMapUnit);
  ::madvise(const_cast<uint8_t*>(data) + start, static_cast<size_t>(end - start), MADV_DONTNEED);
}

std::string program_path() {
#ifdef __APPLE__
  char path[4096];
  uint32_t size = sizeof path;
  return _NSGetExecutablePath(path, &size) == 0 ? path : "";
#else
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : path.string();
#endif
}

}  // namespace fluid2onnx::platform
