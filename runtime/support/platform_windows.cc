// What platform.cc does, on Windows. The program's manifest makes UTF-8 the code page of all narrow names.
#include "runtime/support/platform.h"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#include <winioctl.h>

#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace fluid2onnx::platform {
namespace {

namespace fs = std::filesystem;

constexpr int kReplaceTries = 20;  // while a virus scanner or indexer has the file open, 50 ms apart
constexpr size_t kShortPath = 240;

int errno_of(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_BAD_NETPATH:
    case ERROR_INVALID_DRIVE: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_USER_MAPPED_FILE:
    case ERROR_WRITE_PROTECT: return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT: return ENOMEM;
    case ERROR_FILENAME_EXCED_RANGE: return ENAMETOOLONG;
    case ERROR_INVALID_NAME: return EINVAL;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    case ERROR_PIPE_BUSY: return ENXIO;
    default: return EIO;
  }
}

/// Sets errno to what the last call failed with.
void set_errno() { errno = errno_of(::GetLastError()); }

/// Longer paths than Windows usually takes have a prefix, which needs an absolute path with backslashes. So does a path
/// that the user gave with the prefix.
std::wstring wide(const std::string& path) {
  const fs::path native = fs::path(path).make_preferred();
  std::error_code error;
  if (native.native().size() < kShortPath || native.native().starts_with(LR"(\\)")) return native.native();
  const fs::path whole = fs::absolute(native, error).lexically_normal();
  return error ? native.native() : LR"(\\?\)" + whole.native();
}

class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  ~Handle() {
    if (*this) ::CloseHandle(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  explicit operator bool() const { return handle_ && handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const { return handle_; }
  HANDLE release() { return std::exchange(handle_, nullptr); }

 private:
  HANDLE handle_;
};

constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

int open(const std::string& path, DWORD access, DWORD share, DWORD how, DWORD attributes, int flags) {
  Handle handle(::CreateFileW(wide(path).c_str(), access, share, nullptr, how, attributes, nullptr));
  if (!handle) {
    set_errno();
    return -1;
  }
  const int fd = ::_open_osfhandle(reinterpret_cast<intptr_t>(handle.get()), flags | _O_BINARY | _O_NOINHERIT);
  if (fd >= 0) handle.release();
  return fd;
}

std::optional<FileInfo> info(HANDLE handle) {
  switch (::GetFileType(handle)) {
    case FILE_TYPE_DISK: break;
    case FILE_TYPE_PIPE: return FileInfo{FileInfo::Kind::pipe, 0, 0, 0};
    default: return FileInfo{FileInfo::Kind::device, 0, 0, 0};
  }
  BY_HANDLE_FILE_INFORMATION found;
  if (!::GetFileInformationByHandle(handle, &found)) {
    set_errno();
    return std::nullopt;
  }
  const auto joined = [](DWORD high, DWORD low) { return uint64_t{high} << 32 | low; };
  const bool folder = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  return FileInfo{folder ? FileInfo::Kind::folder : FileInfo::Kind::regular,
                  joined(found.nFileSizeHigh, found.nFileSizeLow), found.dwVolumeSerialNumber,
                  joined(found.nFileIndexHigh, found.nFileIndexLow)};
}

HANDLE handle_of(int fd) { return reinterpret_cast<HANDLE>(::_get_osfhandle(fd)); }

OVERLAPPED at(uint64_t offset) {
  OVERLAPPED where{};
  where.Offset = static_cast<DWORD>(offset);
  where.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return where;
}

/// All of the file in memory; null, with errno.
const uint8_t* read_file(int fd, uint64_t size) {
  auto* data = new (std::nothrow) uint8_t[static_cast<size_t>(size)];
  if (!data) errno = ENOMEM;
  for (uint64_t done = 0; data && done < size;) {
    const int64_t n = read_at(fd, data + done, static_cast<size_t>(size - done), done);
    if (n > 0) {
      done += static_cast<uint64_t>(n);
    } else {
      if (n == 0) errno = EIO;  // it has become shorter
      delete[] data;
      data = nullptr;
    }
  }
  return data;
}

const uint8_t* view(HANDLE file, uint64_t size) {
  const Handle mapping(::CreateFileMappingW(file, nullptr, PAGE_READONLY, static_cast<DWORD>(size >> 32),
                                            static_cast<DWORD>(size), nullptr));
  void* data = mapping ? ::MapViewOfFile(mapping.get(), FILE_MAP_READ, 0, 0, static_cast<size_t>(size)) : nullptr;
  if (!data) set_errno();
  return static_cast<const uint8_t*>(data);
}

/// The files behind the zeros that are mapped now.
class KeptFiles {
 public:
  void add(const uint8_t* data, HANDLE file) {
    const std::lock_guard lock(mutex_);
    files_.emplace(data, file);
  }
  /// Null if it has no file.
  HANDLE take(const uint8_t* data) {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(data);
    if (found == files_.end()) return nullptr;
    const HANDLE file = found->second;
    files_.erase(found);
    return file;
  }

 private:
  std::mutex mutex_;
  std::map<const uint8_t*, HANDLE> files_;
};

KeptFiles& kept() {
  static KeptFiles files;
  return files;
}

}  // namespace

bool native() {
  static const bool is = std::getenv("FLUID2ONNX_PORTABLE") == nullptr;
  return is;
}

std::optional<FileInfo> file_info(const std::string& path) {
  // FILE_FLAG_BACKUP_SEMANTICS: also of a folder.
  const Handle handle(
      ::CreateFileW(wide(path).c_str(), 0, kShared, nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (handle) return info(handle.get());
  set_errno();
  return std::nullopt;
}

std::optional<FileInfo> file_info(int fd) { return info(handle_of(fd)); }

int open_for_reading(const std::string& path) {
  return open(path, GENERIC_READ, kShared, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, _O_RDONLY);
}

int open_for_writing(const std::string& path) {
  return open(path, GENERIC_WRITE, kShared, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, _O_WRONLY);
}

int create_file(const std::string& path) {
  // Others may delete it: the handler of Ctrl-C does.
  return open(path, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, _O_WRONLY);
}

int open_for_appending(const std::string& path, bool emptied) {
  return open(path, FILE_APPEND_DATA | (emptied ? GENERIC_WRITE : 0), kShared, emptied ? CREATE_ALWAYS : OPEN_ALWAYS,
              FILE_ATTRIBUTE_NORMAL, _O_WRONLY | _O_APPEND);
}

bool is_disk_full(int error) { return error == ENOSPC; }

int64_t read_at(int fd, void* data, size_t size, uint64_t offset) {
  OVERLAPPED where = at(offset);
  DWORD done = 0;
  const auto part = static_cast<DWORD>(std::min<size_t>(size, 1u << 30));
  if (::ReadFile(handle_of(fd), data, part, &done, &where)) return done;
  if (::GetLastError() == ERROR_HANDLE_EOF) return 0;
  set_errno();
  return -1;
}

int64_t write_some(int fd, const void* data, size_t size) {
  DWORD done = 0;
  const auto part = static_cast<DWORD>(std::min<size_t>(size, 1u << 30));
  // _write() loses the reason of some failures.
  if (::WriteFile(handle_of(fd), data, part, &done, nullptr)) return done;
  set_errno();
  return -1;
}

void wait_for_input(int fd) { static_cast<void>(fd); }

bool sync_file(int fd) {
  if (::FlushFileBuffers(handle_of(fd))) return true;
  set_errno();
  return false;
}

void sync_folder(const std::string& folder) { static_cast<void>(folder); }

bool replace_file(const std::string& from, const std::string& to) {
  for (int i = 0;; ++i) {
    if (::MoveFileExW(wide(from).c_str(), wide(to).c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
      return true;
    }
    set_errno();
    if (errno != EACCES || i == kReplaceTries) return false;
    ::Sleep(50);
  }
}

void remove_file(const char* path) noexcept {
  try {
    ::DeleteFileW(wide(path).c_str());
  } catch (const std::exception&) {
    return;  // no memory for the name
  }
}

StandardStreams::StandardStreams() {
  for (const int fd : {0, 1, 2}) ::_setmode(fd, _O_BINARY);
  // 0 without a console.
  code_page_ = ::GetConsoleOutputCP();
  if (code_page_ != 0) ::SetConsoleOutputCP(CP_UTF8);
}

StandardStreams::~StandardStreams() {
  if (code_page_ != 0) ::SetConsoleOutputCP(code_page_);
}

bool is_terminal(int fd) {
  DWORD mode = 0;
  const HANDLE handle = handle_of(fd);
  if (!::GetConsoleMode(handle, &mode)) return false;
  return ::SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

int open_nameless(const std::string& folder) {
  static_cast<void>(folder);
  return -1;
}

bool name_file(int fd, const std::string& name) {
  static_cast<void>(fd), static_cast<void>(name);
  errno = ENOSYS;
  return false;
}

bool lock_file(int fd, const std::string& name) {
  // An open file is locked for remove_unlocked().
  static_cast<void>(fd), static_cast<void>(name);
  return true;
}

void remove_unlocked(const std::string& name) {
  const int error = errno;
  // Fails while another process has the file open, because this handle shares nothing.
  const Handle handle(::CreateFileW(wide(name).c_str(), DELETE, 0, nullptr, OPEN_EXISTING,
                                    FILE_ATTRIBUTE_NORMAL | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
  errno = error;
}

const uint8_t* map_file(int fd, uint64_t size) { return native() ? view(handle_of(fd), size) : read_file(fd, size); }

const uint8_t* map_zeros(uint64_t size) {
  wchar_t folder[MAX_PATH + 1], name[MAX_PATH];
  if (::GetTempPathW(MAX_PATH + 1, folder) == 0 || ::GetTempFileNameW(folder, L"f2o", 0, name) == 0) {
    set_errno();
    return nullptr;
  }
  // A sparse file, which is removed when this handle is closed.
  Handle file(::CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS,
                            FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
  DWORD nothing = 0;
  if (file) ::DeviceIoControl(file.get(), FSCTL_SET_SPARSE, nullptr, 0, nullptr, 0, &nothing, nullptr);
  LARGE_INTEGER end;
  end.QuadPart = static_cast<LONGLONG>(size);
  if (!file || !::SetFilePointerEx(file.get(), end, nullptr, FILE_BEGIN) || !::SetEndOfFile(file.get())) {
    set_errno();
    return nullptr;
  }
  const uint8_t* data = view(file.get(), size);
  if (data) kept().add(data, file.release());
  return data;
}

void unmap_file(const uint8_t* data, uint64_t size) {
  static_cast<void>(size);
  if (!data) return;
  const Handle file(kept().take(data));
  if (native() || file) {
    ::UnmapViewOfFile(data);
  } else {
    delete[] data;
  }
}

void advise_random_access(const uint8_t* data, uint64_t size, bool random) {
  static_cast<void>(data), static_cast<void>(size), static_cast<void>(random);
}

bool prefetch(std::span<const uint8_t> bytes) {
  static_cast<void>(bytes);
  return true;
}

void release_pages(const uint8_t* data, uint64_t size, uint64_t offset, uint64_t length) {
  static_cast<void>(size);
  if (length == 0 || !native()) return;
  // Pages that are not locked leave the working set.
  ::VirtualUnlock(const_cast<uint8_t*>(data) + offset, static_cast<size_t>(length));
}

std::string program_path() {
  std::wstring path(MAX_PATH, L'\0');
  for (;;) {
    const DWORD length = ::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    if (length == 0) return "";
    if (length < path.size()) {
      path.resize(length);
      return fs::path(path).string();
    }
    path.resize(2 * path.size());
  }
}

}  // namespace fluid2onnx::platform
