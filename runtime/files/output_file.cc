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
constexpr uint64_t kAtOnce = 64 << 20;       // a signal or a watcher need not wait for more
constexpr uint64_t kWorthACall = 128 << 10;  // shorter pieces are gathered
constexpr size_t kCached = 512 << 10;        // what the edit has read is in the processor's cache when it is written
constexpr uint64_t kElement = 8;             // bytes of the widest element
constexpr int kReaderTries = 300;            // to open a pipe, 10 ms apart
constexpr int kTries = 1000;                 // names of temporary files

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace

void OutputFile::fail(const char* doing, int error) const {
  if (error == EFAULT && source_of_ != nullptr) {
    throw Error(E_IO, "the file has become shorter while it was read")
        .at(source_of_->path())
        .hint("convert the model again when its files are complete");
  }
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
    const int fd = platform::create_file(name);
    if (fd < 0) return false;
    if (platform::lock_file(fd, name)) {
      fd_ = fd;
      return true;
    }
    ::close(fd);
    errno = EEXIST;
    return false;
  });
}

/// A free name in the target's folder; `take` fails with EEXIST when it is not. A process that is killed leaves its
/// file, without a lock: the next one that needs the name removes it.
std::string OutputFile::reserve_name(const std::function<bool(const std::string&)>& take) {
  const std::string name = std::filesystem::path(target_).filename().string().substr(0, 200);
  for (int i = 0;; ++i) {
    std::string tried = folder_of(target_) + "/." + name + "." + std::to_string(i) + ".tmp";
    bool taken = take(tried);
    if (!taken && errno == EEXIST) {
      platform::remove_unlocked(tried);
      taken = take(tried);
    }
    if (taken) {
      remember_temporary(tried);
      return tried;  // moved: a copy could fail, and the file would remain
    }
    if (errno != EEXIST || i == kTries) fail("create the file", errno);
  }
}

OutputFile::~OutputFile() {
  if (source_ >= 0) ::close(source_);
  remove_temporary();
  if (fd_ >= 0) ::close(fd_);
}

/// Call it before the lock is released: afterwards another process may use the name.
void OutputFile::remove_temporary() {
  if (temporary_.empty()) return;
  forget_temporary(temporary_);
  platform::remove_file(temporary_.c_str());
  temporary_.clear();
}

void OutputFile::sent(uint64_t bytes) {
  sent_ += bytes;
  if (watcher_) watcher_(sent_);
}

void OutputFile::send(const uint8_t* data, size_t size) {
  while (size > 0) {
    const auto n = platform::write_some(fd_, data, std::min<size_t>(size, kAtOnce));
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

void OutputFile::copy(const MappedFile& from, uint64_t offset, uint64_t length, const Edit& edit) {
  if (source_of_ != &from) {
    if (source_ >= 0) ::close(source_);
    source_ = from.reopen();
    source_of_ = &from;
  }
  const uint64_t end = offset + length;
  const auto require_size = [&] {
    if (source_ < 0) return;
    const auto info = platform::file_info(source_);
    if (info && info->size < end) fail("read the file", EFAULT);
  };
  require_size();
  if (source_ >= 0 && length < kWorthACall) {
    // Not through the mapping: its pages would count as memory of this process.
    const size_t before = buffer_.size();
    buffer_.resize(before + static_cast<size_t>(length));
    const int64_t n = platform::read_at(source_, buffer_.data() + before, static_cast<size_t>(length), offset);
    if (n == static_cast<int64_t>(length)) {
      require_size();
      size_ += length;
      if (edit) {
        const std::span read(reinterpret_cast<const uint8_t*>(buffer_.data()) + before, static_cast<size_t>(length));
        const auto edited = edit(read);
        if (edited.data() != read.data()) std::memcpy(buffer_.data() + before, edited.data(), edited.size());
      }
      if (buffer_.size() >= kGather) flush();
      return;
    }
    buffer_.resize(before);
    require_size();
  }
  flush();
  size_ += length;
  // Through the mapping in blocks of kMapUnit: copy_file_range is a third slower at unaligned offsets.
  while (length > 0) {
    const uint64_t to_unit = platform::kMapUnit - offset % platform::kMapUnit;
    const uint64_t part = std::min(length, (to_unit + kElement - 1) / kElement * kElement);
    const auto mapped = from.bytes(offset, part);
    // An edit reads the mapping itself; a missing page would end the process.
    if (!platform::prefetch(mapped) && edit) fail("read the file", EFAULT);
    for (size_t at = 0; at < mapped.size(); at += kCached) {
      const auto bytes = mapped.subspan(at, std::min<size_t>(mapped.size() - at, kCached));
      const auto edited = edit ? edit(bytes) : bytes;
      send(edited.data(), edited.size());
    }
    from.forget(offset, part);
    offset += part;
    length -= part;
  }
  require_size();  // the last page of a shorter file ends in zeros
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
  platform::lock_file(fd_);
  temporary_ = reserve_name(link_as);
}

void OutputFile::commit() {
  const bool direct = regular_ && temporary_.empty();
  if (direct) link();
  // close() reports delayed write errors. A copy of the descriptor keeps the lock until the file has its name.
  const int locked = temporary_.empty() ? -1 : ::dup(fd_);
  if (locked < 0 && !temporary_.empty()) fail("write the file", errno);
  const int closing = fd_;
  fd_ = -1;
  bool done = ::close(closing) == 0;
  const char* doing = "write the file";
  const bool named = direct && temporary_.empty();
  if (done && !temporary_.empty()) {
    doing = "rename the finished file";
    // Another host, to which this lock is invisible, could have taken the name.
    const auto own = platform::file_info(locked), found = platform::file_info(temporary_);
    if (own && found && own->volume == found->volume && own->number == found->number) {
      // After the rename, the name is free for others: a signal must not remove their file.
      forget_temporary(temporary_);
      done = platform::replace_file(temporary_, target_);
    } else {
      forget_temporary(temporary_);
      temporary_.clear();
      done = false;
      errno = EBUSY;
    }
  }
  const int error = errno;
  if (done) temporary_.clear();
  else if (named) platform::remove_file(target_.c_str());  // it has its name already
  remove_temporary();
  if (locked >= 0) ::close(locked);
  if (!done) fail(doing, error);
  if (!regular_) return;
  // The name itself is on the disk only when its folder is.
  if (sync_) platform::sync_folder(folder_of(target_));
}

void commit_pair(OutputFile* model, const std::string& model_path, OutputFile* data, const std::string& data_path,
                 bool replaces_pair) {
  // Now: a handler of exhausted memory must not allocate.
  const std::filesystem::path old_model = where_links_lead(model_path), old_data = where_links_lead(data_path);
  const std::filesystem::path given_data = data_path;
  std::error_code ignored;
  if (data) {
    if (replaces_pair) std::filesystem::remove(old_model, ignored);
    data->commit();
  }
  try {
    model->commit();
  } catch (...) {
    if (data) std::filesystem::remove(old_data, ignored);
    throw;
  }
  // Of a link, not the file that it leads to, which other models may use.
  if (replaces_pair && !data) std::filesystem::remove(given_data, ignored);
}

}  // namespace fluid2onnx
