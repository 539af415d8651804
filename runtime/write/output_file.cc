#include "runtime/write/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "runtime/support/error.h"

namespace fluid2onnx {
namespace {

constexpr size_t kGather = 1 << 20;
constexpr size_t kMostAtOnce = 1 << 30;  // Linux writes at most 2 GB a call
constexpr int kTries = 100;              // names of temporary files

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

void OutputFile::fail(const char* doing, int error) const {
  Error e("E_WRITE", "cannot " + std::string(doing) + ": " + std::strerror(error));
  e.at(path_);
  if (error == ENOSPC || error == EDQUOT) e.hint("make room on the disk, or choose another folder");
  if (error == ENOENT) e.hint("the folder does not exist: create it first");
  throw e;
}

OutputFile::OutputFile(const std::string& path) : path_(path), target_(path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) throw Error("E_WRITE", "is a folder, expected the name of a file").at(path);
    if (!S_ISREG(info.st_mode)) {
      fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd_ < 0) fail("open the file", errno);
      return;
    }
    // A symbolic link stays one: its target is replaced.
    std::error_code ignored;
    const auto real = std::filesystem::canonical(path, ignored);
    if (!ignored) target_ = real.string();
  }
  const size_t slash = target_.rfind('/');
  const std::string name = slash == std::string::npos ? target_ : target_.substr(slash + 1);
  if (name.empty()) throw Error("E_WRITE", "is a folder, expected the name of a file").at(path);
  for (int i = 0; fd_ < 0; ++i) {
    temporary_ = folder_of(target_) + "/." + name.substr(0, 200) + "." + std::to_string(::getpid()) + "-" +
                 std::to_string(i) + ".tmp";
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && (errno != EEXIST || i == kTries)) {
      const int error = errno;
      temporary_.clear();
      fail("create the file", error);
    }
  }
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::send(const uint8_t* data, size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd_, data, std::min(size, kMostAtOnce));
    if (n < 0) {
      if (errno == EINTR) continue;
      fail("write the file", errno);
    }
    data += n;
    size -= static_cast<size_t>(n);
  }
}

void OutputFile::flush() {
  send(reinterpret_cast<const uint8_t*>(buffer_.data()), buffer_.size());
  buffer_.clear();
}

void OutputFile::write(std::span<const uint8_t> bytes) {
  size_ += bytes.size();
  if (bytes.size() >= kGather) {
    flush();
    send(bytes.data(), bytes.size());
    return;
  }
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (buffer_.size() >= kGather) flush();
}

void OutputFile::pad_to(uint64_t alignment) {
  const uint64_t rest = size_ % alignment;
  if (rest != 0) write(std::string(static_cast<size_t>(alignment - rest), '\0'));
}

void OutputFile::finish() {
  flush();
  if (!is_regular()) return;
  if (::fsync(fd_) != 0) fail("write the file to the disk", errno);
}

void OutputFile::publish() {
  const int closing = fd_;
  fd_ = -1;
  if (::close(closing) != 0) fail("write the file", errno);
  if (!is_regular()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename the finished file", errno);
  temporary_.clear();
  // The name itself is on the disk only when its folder is. Some systems cannot do that: nothing is lost.
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

}  // namespace fluid2onnx
