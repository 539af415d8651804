// System calls beyond POSIX. Each function may do nothing or report failure; callers then use POSIX calls. The
// environment variable FLUID2ONNX_PORTABLE disables the extensions, so that tests can compare both paths.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fluid2onnx::platform {

/// False if FLUID2ONNX_PORTABLE is set. Then only POSIX calls are used, and files are read instead of mapped.
bool native();

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
const std::uint8_t* map_file(int fd, std::uint64_t size);
void unmap_file(const std::uint8_t* data, std::uint64_t size);
/// Announces random (`jumps`) or sequential reads of mapped bytes, for the kernel's readahead.
void expect_jumps(const std::uint8_t* data, std::uint64_t size, bool jumps);
/// The kernel can map this many bytes of a file at once, aligned to a multiple of it, when a program reads one byte.
constexpr std::uint64_t kMapUnit = 2 << 20;
/// Loads the pages of these mapped bytes.
void take_in(std::span<const std::uint8_t> bytes);
/// Frees pages of a mapped file of `size` bytes, and the pages that the kernel can have mapped around them. The next
/// access loads them again.
void give_back(const std::uint8_t* data, std::uint64_t size, std::uint64_t offset, std::uint64_t length);

/// The path of the running program; "" if unknown.
std::string program_path();

}  // namespace fluid2onnx::platform
