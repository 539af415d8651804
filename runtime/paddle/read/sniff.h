#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fluid2onnx {

/// What a file is, judged by its first bytes. Models are often renamed, so suffixes prove nothing.
enum class FileKind {
  program_desc,   ///< ProgramDesc with the usual start: block 0 without parent
  maybe_program,  ///< could be a ProgramDesc, or any other protobuf
  pir_json,       ///< Paddle 3's program
  json,           ///< any other JSON
  tensors,        ///< parameters: a tensor stream
  pickle,         ///< paddle.save: .pdparams, .pdopt, .pdiparams.info
  onnx,           ///< already converted
  zip,
  gzip,
  tar,
  git_lfs_pointer,  ///< the stand-in for a large file that git did not download
  html,             ///< a web page saved instead of the file
  empty,
  unknown,
};

/// How many bytes of a file sniff() wants at most.
inline constexpr size_t kSniffBytes = 512;

/// `start` is the beginning of the file, all of it if shorter than kSniffBytes.
FileKind sniff(std::span<const uint8_t> start);

/// As sniff(), of a file on disk; FileKind::unknown if it can't be read.
FileKind sniff_file(const std::string& path);

/// "a pickle (paddle.save)", "an ONNX model" ...: continues "is ...".
const char* describe(FileKind kind);

/// What to do about a file of this kind that is not a model; may be "".
const char* advice(FileKind kind);

}  // namespace fluid2onnx
