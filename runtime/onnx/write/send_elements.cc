#include "runtime/onnx/write/send_elements.h"

#include <algorithm>
#include <vector>

#include "runtime/onnx/graph/narrow.h"

namespace fluid2onnx {
namespace {

/// Converts and writes some megabytes at a time.
void send_narrowed(const Narrowed& wide, Dtype to, OutputFile* file) {
  constexpr uint64_t kAtOnce = 4 << 20;
  const Tensor ready = wide.from->evaluated();
  const auto bytes = ready.bytes();
  std::vector<uint8_t> buffer(std::min<size_t>(bytes.size(), kAtOnce) / 2);
  for (size_t at = 0; at < bytes.size(); at += kAtOnce) {
    const auto part = bytes.subspan(at, std::min<size_t>(bytes.size() - at, kAtOnce));
    narrow(part, to, buffer.data(), wide.overflow);
    file->write(std::span<const uint8_t>(buffer).first(part.size() / 2));
    if (const FileSlice* slice = wide.from->slice()) slice->file->forget(slice->offset + at, part.size());
  }
  release_pages(*wide.from);
}

}  // namespace

void send_elements(const Tensor& tensor, OutputFile* file, const OutputFile::Edit& edit) {
  if (const Narrowed wide = narrowed_from(tensor); wide.from) {
    send_narrowed(wide, tensor.dtype(), file);
  } else if (const FileSlice* slice = tensor.slice()) {
    file->copy(*slice->file, slice->offset, slice->length, edit);
  } else {
    const Tensor ready = tensor.evaluated();
    file->write(edit ? edit(ready.bytes()) : ready.bytes());
    release_pages(tensor);
  }
}

}  // namespace fluid2onnx
