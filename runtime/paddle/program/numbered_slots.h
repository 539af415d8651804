// Slots of operators that users wrote in C++, as Paddle 3 saves them: operands and results in order, without names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/paddle/program/program.h"

namespace fluid2onnx {

inline std::string numbered_input(size_t i) { return "in" + std::to_string(i); }
inline std::string numbered_output(size_t i) { return "out" + std::to_string(i); }

/// Gives such slots the known names, in order. Others stay as they are, and so do all where there are more
/// slots than names.
inline void name_slots(std::vector<Slot>* slots, std::string (*numbered)(size_t),
                       const std::vector<std::string>& names) {
  if (slots->size() > names.size()) return;
  for (size_t i = 0; i < slots->size(); ++i) {
    if ((*slots)[i].name != numbered(i)) return;
  }
  for (size_t i = 0; i < slots->size(); ++i) (*slots)[i].name = names[i];
}

}  // namespace fluid2onnx
