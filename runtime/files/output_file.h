// A file that appears complete or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/support/mapped_file.h"

namespace fluid2onnx {

/// What a symbolic link leads to; the same path where it is none, or leads nowhere.
std::string where_links_lead(const std::string& path);

/// Writes into a file without a name in the same folder, which takes the wanted name when all is written. Until then
/// nothing is seen under that name, what was there before stays, and a process that is killed leaves nothing. To
/// replace a file, and where the file system has no nameless files, a temporary name is used: a process that is killed
/// may leave it until the same file is written again.
/// A target that is no regular file (/dev/stdout, a pipe) is written directly. All failures are Errors E_WRITE.
class OutputFile {
 public:
  /// `nameless` false: as on file systems that have no nameless files.
  explicit OutputFile(const std::string& path, bool nameless = true);
  ~OutputFile();  ///< without commit(): nothing is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Small pieces are gathered; large ones go to the system from where they are.
  void write(std::span<const uint8_t> bytes);
  void write(std::string_view bytes) { write(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size())); }
  /// Returns the bytes to write for these, as many. It gets whole elements of at most 8 bytes.
  using Edit = std::function<std::span<const uint8_t>(std::span<const uint8_t> bytes)>;
  /// Bytes of a mapped file; a few megabytes at a time are in the memory of this process.
  void copy(const MappedFile& from, uint64_t offset, uint64_t length, const Edit& edit = {});
  /// Zeros; up to that size.
  void extend_to(uint64_t size);
  uint64_t size() const { return size_; }
  /// False for pipes and devices.
  bool is_regular() const { return regular_; }
  /// Called with the bytes that have gone to the system, now and then.
  void watch(std::function<void(uint64_t)> watcher) { watcher_ = std::move(watcher); }

  /// All bytes are with the system; with `sync`, they are on the disk. Still without a name.
  void finish(bool sync);
  /// Takes the wanted name.
  void commit();

 private:
  void open_regular(bool nameless);
  void link();
  void remove_temporary();
  std::string reserve_name(const std::function<bool(const std::string&)>& take);
  void flush();
  void send(const uint8_t* data, size_t size);
  void sent(uint64_t bytes);
  [[noreturn]] void fail(const char* doing, int error) const;

  std::string path_;       // as asked for
  std::string target_;     // where symbolic links lead
  std::string temporary_;  // empty: the file has no name
  std::string buffer_;
  bool regular_ = false;
  bool sync_ = false;
  int fd_ = -1;
  int source_ = -1;  // the file that copy() read last
  const MappedFile* source_of_ = nullptr;
  uint64_t size_ = 0;
  uint64_t sent_ = 0;
  std::function<void(uint64_t)> watcher_;
};

/// Commits a model and the file of its weights, which may be null. `replaces_pair`: both paths exist and belong
/// together; then the old model is removed first, so that no model is ever visible beside the weights of another.
void commit_pair(OutputFile* model, const std::string& model_path, OutputFile* data, const std::string& data_path,
                 bool replaces_pair);

/// What is being read must not be written over: E_USAGE if an output is one of the sources, by whatever name. Sources
/// may be empty, and outputs need not exist.
void refuse_to_overwrite(const std::set<std::string>& sources, const std::vector<std::string>& outputs);

/// Removes the files with temporary names, and those that other threads create later. A signal handler may call it
/// before the process ends.
void remove_temporaries() noexcept;

}  // namespace fluid2onnx
