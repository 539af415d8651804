#include "runtime/paddle/program/validate.h"

#include "runtime/support/error.h"
#include "runtime/support/hints.h"
#include "runtime/support/limits.h"

namespace fluid2onnx {
namespace {

Error bad_block(const Program& program, const std::string& place, const std::string& message) {
  return Error(E_BAD_PROGRAM, message).at(program.model_path + ": " + place).hint(kExportAgain);
}

void check_parents(const Program& program) {
  std::vector<int> depth(program.blocks.size(), 0);
  for (size_t i = 0; i < program.blocks.size(); ++i) {
    const Block& block = program.blocks[i];
    const std::string place = "block " + std::to_string(i);
    if (i == 0) {
      if (block.parent == -1) continue;
      throw bad_block(program, place,
                      "the main block has parent " + std::to_string(block.parent) + ", expected -1 (none)");
    }
    if (block.parent < 0 || block.parent >= block.index) {
      throw bad_block(program, place,
                      "the block has parent " + std::to_string(block.parent) + ", expected an earlier block");
    }
    depth[i] = depth[static_cast<size_t>(block.parent)] + 1;
    if (depth[i] > limits::kBlockDepth) {
      throw bad_block(program, place, "blocks are nested more than " + std::to_string(limits::kBlockDepth) + " deep");
    }
  }
}

void check_owners(const Program& program) {
  std::vector<const Op*> owner(program.blocks.size(), nullptr);
  for (const Block& block : program.blocks) {
    for (const Op& op : block.ops) {
      for (const int32_t sub_block : op.sub_blocks()) {
        const std::string text = "sub-block " + std::to_string(sub_block);
        if (sub_block <= 0 || sub_block >= static_cast<int32_t>(program.blocks.size())) {
          throw bad_block(
              program, op.place(),
              text + " does not exist; the program has blocks 0 to " + std::to_string(program.blocks.size() - 1));
        }
        const auto at = static_cast<size_t>(sub_block);
        if (program.blocks[at].parent != block.index) {
          throw bad_block(program, op.place(),
                          text + " belongs to block " + std::to_string(program.blocks[at].parent) +
                              ", expected block " + std::to_string(block.index));
        }
        if (owner[at]) {
          throw bad_block(program, op.place(), text + " is already used by " + owner[at]->place());
        }
        owner[at] = &op;
      }
    }
  }
}

}  // namespace

void validate_blocks(const Program& program) {
  check_parents(program);
  check_owners(program);
}

}  // namespace fluid2onnx
