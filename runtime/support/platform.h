// What not every system has. Each of these may do nothing, or say that it cannot: callers then go the plain way, with
// what POSIX has. The environment variable FLUID2ONNX_PORTABLE makes that so everywhere: tests compare the two.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fluid2onnx::platform {

/// False where FLUID2ONNX_PORTABLE is set: nothing beyond POSIX is used then, and files are read, not mapped.
bool native();

/// What a path leads to, or what a descriptor is for; nothing, with errno, when that fails.
struct FileInfo {
  enum class Kind { regular, folder, pipe, device };
  Kind kind;
  std::uint64_t size;
  std::uint64_t volume, number;  ///< tell one file from all others
};
std::optional<FileInfo> file_info(const std::string& path);
std::optional<FileInfo> file_info(int fd);

/// Descriptors; -1, with errno, when that fails. Opening does not wait for another program, and programs that this one
/// starts do not inherit them.
int open_for_reading(const std::string& path);
int open_for_writing(const std::string& path);  ///< a pipe or device; fails with ENXIO while nothing reads the pipe
int create_file(const std::string& path);       ///< fails with EEXIST if there is one
int open_for_appending(const std::string& path, bool emptied);

/// Whether that errno means that the disk, or this user's part of it, is full.
bool is_disk_full(int error);
/// Up to `size` bytes from that offset; -1, with errno, when that fails.
std::int64_t read_at(int fd, void* data, std::size_t size, std::uint64_t offset);
/// Returns when an open pipe has something to read, or has ended.
void wait_for_input(int fd);
/// On the disk: a file's bytes, and the names in a folder as far as the system can do that.
bool sync_file(int fd);
void sync_folder(const std::string& folder);
/// `to` becomes that file at once, whatever it was. False, with errno, when that fails.
bool replace_file(const std::string& from, const std::string& to);
/// May be called by a signal's handler.
void remove_file(const char* path) noexcept;

/// While it lives, the standard streams take bytes as they are, and a terminal shows them as UTF-8.
class StandardStreams {
 public:
  StandardStreams();
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

 private:
  unsigned code_page_ = 0;
};

/// Whether people see what is written there; then it also knows the usual control sequences.
bool is_terminal(int fd);

/// A file without a name in that folder, to be written (Linux: O_TMPFILE); -1 where there is no such thing, or it could
/// never get a name.
int open_nameless(const std::string& folder);
/// Gives it a name that is free. False, with errno, when that fails.
bool name_file(int fd, const std::string& name);

/// A file's bytes, read-only; null, with errno, when that fails. Mapped, or where files cannot be, read into memory.
/// The descriptor need not stay open.
const std::uint8_t* map_file(int fd, std::uint64_t size);
void unmap_file(const std::uint8_t* data, std::uint64_t size);
/// That many zeros, which take neither memory nor disk until they are read; null, with errno, when that fails.
const std::uint8_t* map_zeros(std::uint64_t size);
/// Whether the next reads of mapped bytes are far from each other.
void expect_jumps(const std::uint8_t* data, std::uint64_t size, bool jumps);
/// Takes these mapped bytes in at once, or gives their pages back: they come again when touched.
void take_in(std::span<const std::uint8_t> bytes);
void give_back(const std::uint8_t* data, std::uint64_t offset, std::uint64_t length);

/// The file of the running program; "" where nothing tells.
std::string program_path();

}  // namespace fluid2onnx::platform
