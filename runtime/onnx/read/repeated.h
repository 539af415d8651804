// Lists of protobuf's messages.
#pragma once

namespace fluid2onnx {

/// Drops the elements for which `keep` returns false; calls it once for each, in order.
template <class Repeated, class Keep>
void keep_only(Repeated* list, Keep keep) {
  int kept = 0;
  for (int i = 0; i < list->size(); ++i) {
    if (keep(list->Get(i))) list->SwapElements(kept++, i);
  }
  list->DeleteSubrange(kept, list->size() - kept);
}

}  // namespace fluid2onnx
