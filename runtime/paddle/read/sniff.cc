#include "runtime/paddle/read/sniff.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "runtime/support/dtype.h"

namespace fluid2onnx {
namespace {

using Bytes = std::span<const uint8_t>;

std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Field 1 (a block) whose fields 1 and 2 are idx 0 and parent_idx -1.
bool is_program_desc(Bytes start) {
  size_t at = 1;
  while (at < start.size() && at < 10 && (start[at] & 0x80)) ++at;
  constexpr std::string_view kMainBlock("\x08\x00\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13);
  return at < start.size() && as_text(start.subspan(at + 1)).starts_with(kMainBlock);
}

/// u32 0, u64 number of LoD levels. Then, without LoD: u32 0, i32 size, field 1 with an element type.
bool is_tensor_stream(Bytes start) {
  constexpr size_t kHeader = 22;
  if (start.size() < kHeader) return false;
  if (!as_text(start).starts_with(std::string_view("\0\0\0\0", 4))) return false;
  const bool has_lod = start[4] != 0;
  const bool small_lod = std::all_of(start.begin() + 5, start.begin() + 12, [](uint8_t byte) { return byte == 0; });
  if (has_lod) return small_lod && start[4] < 8;
  return small_lod && as_text(start.subspan(12)).starts_with(std::string_view("\0\0\0\0", 4)) && start[18] == 0 &&
         start[19] == 0 && start[20] == 0x08 && dtype_size(dtype_from_paddle(start[21])) != 0;
}

/// ModelProto: field 1 (IR version), then one of the fields 2 to 8.
bool is_onnx(Bytes start) {
  if (start.size() < 3 || start[0] != 0x08 || start[1] == 0 || start[1] > 100) return false;
  constexpr std::string_view kNext("\x12\x1a\x22\x28\x32\x3a\x42");
  return kNext.find(static_cast<char>(start[2])) != std::string_view::npos;
}

bool is_tar(Bytes start) {
  constexpr size_t kMagic = 257;
  return start.size() > kMagic && as_text(start.subspan(kMagic)).starts_with("ustar");
}

FileKind sniff_json(std::string_view text) {
  // Keys are sorted, so "base_code" comes first: {"base_code":{"magic":"pir",
  const size_t key = text.find_first_not_of(" \t\r\n", 1);
  const bool is_program = key != std::string_view::npos && text.substr(key).starts_with("\"base_code\"") &&
                          text.find("\"magic\"") != std::string_view::npos &&
                          text.find("\"pir\"") != std::string_view::npos;
  return is_program ? FileKind::pir_json : FileKind::json;
}

bool is_html(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  text.remove_prefix(start);
  return text.starts_with("<!DOCTYPE") || text.starts_with("<!doctype") || text.starts_with("<html") ||
         text.starts_with("<HTML");
}

}  // namespace

FileKind sniff(Bytes start) {
  start = start.subspan(0, std::min(start.size(), kSniffBytes));
  const std::string_view text = as_text(start);
  if (text.empty()) return FileKind::empty;
  if (text[0] == '{') return sniff_json(text);
  if (text.starts_with("PK\x03\x04")) return FileKind::zip;
  if (text.starts_with("\x1f\x8b")) return FileKind::gzip;
  if (text.starts_with("version https://git-lfs")) return FileKind::git_lfs_pointer;
  if (is_html(text)) return FileKind::html;
  if (text.size() > 2 && start[0] == 0x80 && start[1] >= 2 && start[1] <= 5) {
    return FileKind::pickle;
  }
  if (start[0] == 0x0a) {
    return is_program_desc(start) ? FileKind::program_desc : FileKind::maybe_program;
  }
  if (is_tensor_stream(start)) return FileKind::tensors;
  if (is_onnx(start)) return FileKind::onnx;
  if (is_tar(start)) return FileKind::tar;
  return FileKind::unknown;
}

FileKind sniff_file(const std::string& path) {
  // Opening a pipe would wait for its writer.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return FileKind::unknown;
  std::ifstream file(path, std::ios::binary);
  if (!file) return FileKind::unknown;
  uint8_t start[kSniffBytes];
  file.read(reinterpret_cast<char*>(start), sizeof start);
  if (file.bad()) return FileKind::unknown;
  return sniff({start, static_cast<size_t>(file.gcount())});
}

const char* describe(FileKind kind) {
  switch (kind) {
    case FileKind::program_desc: return "a Paddle program";
    case FileKind::maybe_program: return "a protobuf message";
    case FileKind::pir_json: return "a Paddle 3 program (PIR JSON)";
    case FileKind::json: return "a JSON file, but not a Paddle program";
    case FileKind::tensors: return "a parameter file with weights but no network";
    case FileKind::pickle: return "a pickle (paddle.save) with weights but no network";
    case FileKind::onnx: return "an ONNX model already";
    case FileKind::zip: return "a zip archive";
    case FileKind::gzip: return "a gzip archive";
    case FileKind::tar: return "a tar archive";
    case FileKind::git_lfs_pointer: return "a Git LFS pointer, not the file itself";
    case FileKind::html: return "a web page";
    case FileKind::empty: return "empty";
    case FileKind::unknown: break;
  }
  return "not a file that Paddle writes";
}

const char* advice(FileKind kind) {
  switch (kind) {
    case FileKind::pickle: return "export with paddle.jit.save or paddle.static.save_inference_model";
    case FileKind::tensors: return "pass the program of these parameters: X.pdmodel, X.json or __model__";
    case FileKind::zip:
    case FileKind::gzip:
    case FileKind::tar: return "unpack it, then pass the folder";
    case FileKind::git_lfs_pointer: return "fetch the file with 'git lfs pull'";
    case FileKind::html: return "download the raw file instead of the web page";
    case FileKind::empty: return "export or download the file again";
    case FileKind::json: return "a Paddle 3 program starts with {\"base_code\":{\"magic\":\"pir\"";
    case FileKind::unknown:
    case FileKind::maybe_program:
      return "pass X.pdmodel, X.json or __model__, as written by paddle.jit.save or "
             "save_inference_model";
    default: return "";
  }
}

}  // namespace fluid2onnx
