// The bytes of a tensor, on their way to a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/files/output_file.h"
#include "runtime/onnx/graph/narrow.h"
#include "runtime/onnx/graph/tensor.h"

namespace fluid2onnx {

/// Weights in 16 bits, some at a time.
template <class Sink>
void send_narrowed(const Narrowed& wide, Dtype to, Sink* sink) {
  constexpr uint64_t kAtOnce = 4 << 20;
  const Tensor ready = wide.from->evaluated();
  const auto bytes = ready.bytes();
  std::vector<uint8_t> buffer(std::min<size_t>(bytes.size(), kAtOnce) / 2);
  for (size_t at = 0; at < bytes.size(); at += kAtOnce) {
    const auto part = bytes.subspan(at, std::min<size_t>(bytes.size() - at, kAtOnce));
    narrow(part, to, buffer.data(), wide.beyond);
    sink->write(std::span<const uint8_t>(buffer).first(part.size() / 2));
    if (const FileSlice* slice = wide.from->slice()) slice->file->forget(slice->offset + at, part.size());
  }
  forget_pages(*wide.from);
}

/// From where they are to the sink, which has what OutputFile has: write(), copy(). A lazy tensor lives only until it
/// is written. `edit`: see OutputFile::copy; not applied to weights in 16 bits.
template <class Sink>
void send_elements(const Tensor& tensor, Sink* sink, const OutputFile::Edit& edit = {}) {
  if (const Narrowed wide = narrowed_from(tensor); wide.from) {
    send_narrowed(wide, tensor.dtype(), sink);
  } else if (const FileSlice* slice = tensor.slice()) {
    sink->copy(*slice->file, slice->offset, slice->length, edit);
  } else {
    const Tensor ready = tensor.evaluated();
    sink->write(edit ? edit(ready.bytes()) : ready.bytes());
    forget_pages(tensor);
  }
}

}  // namespace fluid2onnx
