// What not every system has. Each of these may do nothing, or say that it cannot: callers then go the plain way, with
// what POSIX has. The environment variable FLUID2ONNX_PORTABLE makes that so everywhere: tests compare the two.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fluid2onnx::platform {

/// False where FLUID2ONNX_PORTABLE is set: nothing beyond POSIX is used then, and files are read, not mapped.
bool native();

/// A file without a name in that folder, to be written (Linux: O_TMPFILE); -1 where there is no such thing, or it could
/// never get a name.
int open_nameless(const std::string& folder);
/// Gives it a name that is free. False, with errno, when that fails.
bool name_file(int fd, const std::string& name);

/// Locks an open file until its last descriptor is closed. False if `name` was removed before the lock was there. Without
/// locks on this system, nothing happens.
bool lock_file(int fd, const std::string& name = "");
/// Removes a file that no process has locked. errno stays as it is.
void remove_unlocked(const std::string& name);

/// A file's bytes, read-only; null, with errno, when that fails. Mapped, or where files cannot be, read into memory.
const std::uint8_t* map_file(int fd, std::uint64_t size);
void unmap_file(const std::uint8_t* data, std::uint64_t size);
/// Whether the next reads of mapped bytes are far from each other.
void expect_jumps(const std::uint8_t* data, std::uint64_t size, bool jumps);
/// Takes these mapped bytes in at once, or gives their pages back: they come again when touched.
void take_in(std::span<const std::uint8_t> bytes);
void give_back(const std::uint8_t* data, std::uint64_t offset, std::uint64_t length);

/// The file of the running program; "" where nothing tells.
std::string program_path();

}  // namespace fluid2onnx::platform
