#include "runtime/onnx/write/commit.h"

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string_view>

#include "runtime/support/error.h"
#include "runtime/support/mapped_file.h"

namespace fluid2onnx {

namespace fs = std::filesystem;

bool refers_to(const std::string& model_path, const std::string& location) {
  std::error_code error;
  if (!fs::is_regular_file(model_path, error) || fs::file_size(model_path, error) == 0) return false;
  onnx::StringStringEntryProto entry;
  entry.set_key("location");
  entry.set_value(location);
  try {
    const auto file = MappedFile::open(model_path);
    const auto bytes = file->bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return text.find(entry.SerializeAsString()) != std::string_view::npos;
  } catch (const Error&) {
    return false;  // a file that cannot be read is ignored
  }
}

void commit_model(OutputFile* model, const std::string& model_path, OutputFile* data, const std::string& data_path) {
  std::error_code error;
  const bool replaces_pair =
      fs::exists(data_path, error) && refers_to(model_path, fs::path(data_path).filename().string());
  commit_pair(model, model_path, data, data_path, replaces_pair);
}

}  // namespace fluid2onnx
