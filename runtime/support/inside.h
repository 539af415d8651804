// Names of files that a model gives: they must not lead out of its folder, because a foreign model must not read other
// files of this machine.
#pragma once

#include <string>

namespace fluid2onnx {

/// False for names that are empty, absolute, longer than limits::kLocationBytes, or have a zero byte or "..".
bool is_name_inside(const std::string& name);

/// Whether the existing file `path` is, behind all links, in `folder`, in the folder of what `model` is a link to, or
/// in a store of git-annex or DVC with `model`. These keep each file in another folder, whose name depends on its
/// content.
bool leads_inside(const std::string& path, const std::string& folder, const std::string& model);

}  // namespace fluid2onnx
