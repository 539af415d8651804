#include "runtime/files/output_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "runtime/files/temporaries.h"
#include "runtime/support/error.h"
#include "runtime/support/platform.h"

namespace fluid2onnx {
namespace {

constexpr size_t kGather = 1 << 20;
constexpr uint64_t kAtOnce = 64 << 20;         // a signal or a watcher need not wait for more
constexpr uint64_t kWorthACall = 128 << 10;    // shorter pieces are gathered
constexpr uint64_t kMappedAtOnce = 512 << 10;  // pages that are mapped count as memory
constexpr uint64_t kMappedAround = 64 << 10;   // read-around of a page fault, by the system's default
constexpr int kReaderTries = 300;              // to open a pipe, 10 ms apart
constexpr int kTries = 100;                    // names of temporary files

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

void OutputFile::fail(const char* doing, int error) const {
  Error e(E_WRITE, "cannot " + std::string(doing) + ": " + std::strerror(error));
  e.at(path_);
  if (platform::is_disk_full(error)) e.hint("free disk space, or use another folder");
  if (error == EFBIG) e.hint("raise the limit of 'ulimit -f', or use another folder");
  if (error == ENXIO) e.hint("start the program that reads the pipe first, or use another name");
  if (error == ENAMETOOLONG) e.hint("use a shorter name");
  if (error == ENOENT) e.hint("create the folder first");
  throw e;
}

std::string where_links_lead(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

void refuse_to_overwrite(const std::set<std::string>& sources, const std::vector<std::string>& outputs) {
  namespace fs = std::filesystem;
  for (const std::string& path : outputs) {
    std::error_code absent;
    if (!fs::exists(path, absent)) continue;
    for (const std::string& source : sources) {
      std::error_code error;
      if (source.empty() || !fs::equivalent(path, source, error) || error) continue;
      throw Error(E_USAGE, "the output would overwrite the input model").at(path).hint("use another name");
    }
  }
}

OutputFile::OutputFile(const std::string& path, bool nameless) : path_(path), target_(path) {
  using Kind = platform::FileInfo::Kind;
  if (const auto info = platform::file_info(path)) {
    if (info->kind == Kind::folder) throw Error(E_WRITE, "is a folder, expected the name of a file").at(path);
    if (info->kind != Kind::regular) {
      // Opening a pipe must not wait forever for its reader, which may start a little later; writing to it may.
      for (int i = 0; i < kReaderTries; ++i) {
        fd_ = platform::open_for_writing(path);
        if (fd_ >= 0 || errno != ENXIO || info->kind != Kind::pipe) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        errno = ENXIO;
      }
      if (fd_ < 0) fail("open the file", errno);
      return;
    }
    // A symbolic link stays one: its target is replaced.
    target_ = where_links_lead(path);
  }
  if (!std::filesystem::path(target_).has_filename()) {
    throw Error(E_WRITE, "is a folder, expected the name of a file").at(path);
  }
  regular_ = true;
  open_regular(nameless);
}

void OutputFile::open_regular(bool nameless) {
  if (nameless) fd_ = platform::open_nameless(folder_of(target_));
  if (fd_ >= 0) return;
  temporary_ = reserve_name([this](const std::string& name) {
    fd_ = platform::create_file(name);
    return fd_ >= 0;
  });
}

/// A free name in the target's folder; `take` fails with EEXIST when it is not.
std::string OutputFile::reserve_name(const std::function<bool(const std::string&)>& take) {
  const std::string name = std::filesystem::path(target_).filename().string().substr(0, 200);
  for (int i = 0;; ++i) {
    const std::string tried =
        folder_of(target_) + "/." + name + "." + std::to_string(::getpid()) + "-" + std::to_string(i) + ".tmp";
    // Remembered before it exists: better one name too many than a file that stays.
    remember_temporary(tried);
    if (take(tried)) return tried;
    const int error = errno;
    forget_temporary(tried);
    if (error != EEXIST || i == kTries) fail("create the file", error);
  }
}

OutputFile::~OutputFile() {
  if (source_ >= 0) ::close(source_);
  if (fd_ >= 0) ::close(fd_);
  if (temporary_.empty()) return;
  platform::remove_file(temporary_.c_str());
  forget_temporary(temporary_);
}

void OutputFile::sent(uint64_t bytes) {
  sent_ += bytes;
  if (watcher_) watcher_(sent_);
}

void OutputFile::send(const uint8_t* data, size_t size) {
  while (size > 0) {
    const auto n = ::write(fd_, data, std::min<size_t>(size, kAtOnce));
    if (n < 0) {
      if (errno == EINTR) continue;
      fail("write the file", errno);
    }
    data += n;
    size -= static_cast<size_t>(n);
    sent(static_cast<uint64_t>(n));
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

void OutputFile::copy(const MappedFile& from, uint64_t offset, uint64_t length) {
  if (source_of_ != &from) {
    if (source_ >= 0) ::close(source_);
    source_ = from.reopen();
    source_of_ = &from;
  }
  if (source_ >= 0 && length < kWorthACall) {
    // Not through the mapping: its pages would count as memory of this process.
    const size_t before = buffer_.size();
    buffer_.resize(before + static_cast<size_t>(length));
    const int64_t n = platform::read_at(source_, buffer_.data() + before, static_cast<size_t>(length), offset);
    if (n == static_cast<int64_t>(length)) {
      size_ += length;
      if (buffer_.size() >= kGather) flush();
      return;
    }
    buffer_.resize(before);
  }
  flush();
  size_ += length;
  // From the mapping, a little at a time: where offsets differ within a page, as they nearly always do, the system
  // takes a third longer to copy from file to file.
  while (length > 0) {
    const uint64_t part = std::min(length, kMappedAtOnce);
    const auto bytes = from.bytes(offset, part);
    platform::take_in(bytes);
    send(bytes.data(), bytes.size());
    // The system has mapped some pages around as well.
    const uint64_t before = std::min(offset, kMappedAround);
    const uint64_t after = std::min(from.size() - offset - part, kMappedAround);
    from.forget(offset - before, before + part + after);
    offset += part;
    length -= part;
  }
}

void OutputFile::extend_to(uint64_t size) {
  if (size > size_) write(std::string(static_cast<size_t>(size - size_), '\0'));
}

void OutputFile::finish(bool sync) {
  flush();
  sync_ = sync && regular_;
  if (sync_ && !platform::sync_file(fd_)) fail("write the file to the disk", errno);
}

/// Gives the nameless file its name. A file that is there already can only be replaced by one with a name.
void OutputFile::link() {
  const auto link_as = [&](const std::string& name) { return platform::name_file(fd_, name); };
  if (link_as(target_)) return;
  if (errno != EEXIST) fail("name the finished file", errno);
  temporary_ = reserve_name(link_as);
}

void OutputFile::commit() {
  if (regular_ && temporary_.empty()) link();
  const int closing = fd_;
  fd_ = -1;
  if (::close(closing) != 0) fail("write the file", errno);
  if (!regular_) return;
  if (!temporary_.empty()) {
    if (!platform::replace_file(temporary_, target_)) fail("rename the finished file", errno);
    forget_temporary(temporary_);
    temporary_.clear();
  }
  // The name itself is on the disk only when its folder is.
  if (sync_) platform::sync_folder(folder_of(target_));
}

}  // namespace fluid2onnx
