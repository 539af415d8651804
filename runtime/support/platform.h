// System calls beyond POSIX. Each function may do nothing or report failure; callers then use POSIX calls. The
// environment variable FLUID2ONNX_PORTABLE disables the extensions, so that tests can compare both paths.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fluid2onnx::platform {

/// False if FLUID2ONNX_PORTABLE is set. Then only POSIX calls are used, and files are read instead of mapped.
bool native();

/// The kind and the identity of a file; nullopt, with errno, on failure.
struct FileInfo {
  enum class Kind { regular, folder, pipe, device };
  Kind kind;
  uint64_t size;
  uint64_t volume, number;  ///< equal for two paths only if they lead to the same file
};
std::optional<FileInfo> file_info(const std::string& path);
std::optional<FileInfo> file_info(int fd);

/// Open a file; -1, with errno, on failure. They do not wait for other programs. Child processes do not inherit the
/// descriptors.
int open_for_reading(const std::string& path);
int open_for_writing(const std::string& path);  ///< a pipe or device; ENXIO if no program reads the pipe
int create_file(const std::string& path);       ///< EEXIST if the file exists
int open_for_appending(const std::string& path, bool emptied);

/// True if this errno means a full disk or an exceeded quota.
bool is_disk_full(int error);
/// Reads up to `size` bytes at that offset; -1, with errno, on failure.
int64_t read_at(int fd, void* data, size_t size, uint64_t offset);
/// Writes up to `size` bytes; -1, with errno, on failure.
int64_t write_some(int fd, const void* data, size_t size);
/// Returns when an open pipe has data, or has ended.
void wait_for_input(int fd);
/// Flush to the disk: the bytes of a file, or the names in a folder if the system supports that.
bool sync_file(int fd);
void sync_folder(const std::string& folder);
/// Renames `from` to `to` atomically, and replaces an existing file. False, with errno, on failure.
bool replace_file(const std::string& from, const std::string& to);
/// Can be called by a signal handler.
void remove_file(const char* path) noexcept;

/// Switches the standard streams to unchanged bytes, and a terminal to UTF-8, until the destructor runs.
class StandardStreams {
 public:
  StandardStreams();
  ~StandardStreams();  // NOLINT(performance-trivially-destructible): not on Windows
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

 private:
  [[maybe_unused]] unsigned code_page_ = 0;
};

/// True for a terminal; it then supports the usual control sequences.
bool is_terminal(int fd);

/// Opens an unnamed file in the folder for writing (Linux: O_TMPFILE). -1 if the file system does not support it, or
/// could not name the file later.
int open_nameless(const std::string& folder);
/// Links an unnamed file to a name that does not exist yet. False, with errno, on failure.
bool name_file(int fd, const std::string& name);

/// Locks an open file until its last descriptor is closed. False if `name` was removed before the file was locked. Does
/// nothing on systems without locks.
bool lock_file(int fd, const std::string& name = "");
/// Removes a file that no process has locked. Keeps errno.
void remove_unlocked(const std::string& name);

/// The bytes of a file, read-only: mapped, or read into memory if it cannot be mapped. Null, with errno, on failure.
/// The descriptor need not stay open.
const uint8_t* map_file(int fd, uint64_t size);
void unmap_file(const uint8_t* data, uint64_t size);
/// That many zeros, which take no memory and no disk space until they are read. Null, with errno, on failure.
const uint8_t* map_zeros(uint64_t size);
/// Announces random (`random`) or sequential reads of mapped bytes, for the kernel's readahead.
void advise_random_access(const uint8_t* data, uint64_t size, bool random);
/// The kernel can map this many bytes of a file at once, aligned to a multiple of it, when a program reads one byte.
constexpr uint64_t kMapUnit = 2 << 20;
/// Loads the pages of these mapped bytes. False if the file has become shorter.
bool prefetch(std::span<const uint8_t> bytes);
/// Frees pages of a mapped file of `size` bytes, and the pages that the kernel can have mapped around them. The next
/// access loads them again.
void release_pages(const uint8_t* data, uint64_t size, uint64_t offset, uint64_t length);

/// The path of the running program; "" if unknown.
std::string program_path();

}  // namespace fluid2onnx::platform
