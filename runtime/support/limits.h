// The limits of what is read and made of it. docs/limits.md lists them for users. Real models stay far below: a limit
// is there so that a damaged or malicious file is refused before it takes the machine's memory or time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fluid2onnx::limits {

// Files and messages.

/// Bytes of a program or of a message of an ONNX file without its tensors: protobuf's own limit.
inline constexpr uint64_t kMessageBytes = (uint64_t{1} << 31) - 1;
/// Bytes of the description (dtype and dims) in front of a parameter's elements; real ones have a few dozen.
inline constexpr uint64_t kDescriptorBytes = 4096;
/// Bytes of a sparse tensor with its zeros.
inline constexpr uint64_t kSparseBytes = uint64_t{1} << 30;
/// Bytes of a parameter that has no file and is replaced by zeros, by its declared shape.
inline constexpr uint64_t kPlaceholderBytes = uint64_t{1} << 40;
/// Bytes of a tensor that is read with an ONNX model; larger ones stay in the mapped file.
inline constexpr size_t kInlineBytes = 1024;

/// Bytes of a list of models.
inline constexpr size_t kListBytes = 64 << 20;
/// Bytes of the name of a variable, value or operator type.
inline constexpr size_t kNameBytes = 64 << 10;
/// Operands of an operator: the arguments of one slot, or the inputs of an ONNX node.
inline constexpr size_t kOperands = 1 << 16;
/// Bytes of the path of a parameter's file in the separate layout, or of an ONNX model's data file, in its folder.
inline constexpr size_t kLocationBytes = 4096;

// Nesting. Recursion over what is within these limits is safe.

/// Sub-blocks of a Paddle program within each other.
inline constexpr int kBlockDepth = 200;
/// Lists and objects of Paddle 3's JSON; a block in a block is 6 levels deeper.
inline constexpr int kJsonDepth = 2000;
/// Lists in the type of a value of Paddle 3.
inline constexpr int kTypeDepth = 100;
/// Levels of sequences in a variable (LoD): each becomes an input of the ONNX model. Paddle's operators know two.
inline constexpr int kLodLevels = 16;
/// Graphs of an ONNX model within each other, by attributes and by functions.
inline constexpr int kGraphDepth = 30;
/// Functions of an ONNX model that call each other.
inline constexpr int kCallDepth = 200;

// Expansion.

/// Nodes that the functions of an ONNX model expand to.
inline constexpr uint64_t kInlinedNodes = 5'000'000;
/// Nodes that the recipe of one operator emits. Recipes that are unrolled over a size have some thousands.
inline constexpr int64_t kOperatorNodes = 100'000;
/// Items that the list expressions of all recipes of a conversion visit, besides kOperatorSteps for each operator and
/// one for each byte of the weights. Below opset 17, a Fourier transform of 2048 points takes most of them.
inline constexpr int64_t kModelSteps = 5'000'000;
inline constexpr int64_t kOperatorSteps = 1024;
/// Items of a list that a message shows.
inline constexpr size_t kShownItems = 64;
/// Entries of a range() in a recipe.
inline constexpr uint64_t kRangeEntries = uint64_t{1} << 23;
/// Items of a list of sizes or axes, and elements of a 1-D tensor that a recipe takes apart into such a list.
inline constexpr int64_t kListItems = 1 << 16;
/// Elements that a recipe reads of a parameter whose file is missing. Reading takes at least 12 bytes for each.
inline constexpr int64_t kReadPlaceholder = int64_t{1} << 26;
/// ONNX nodes in a row that become Paddle operators by recursion; longer chains are converted from their beginning.
inline constexpr int kPendingDepth = 200;
/// Iterations of a loop of constant length that is unrolled, and the nodes of all of them.
inline constexpr int kUnrolledIterations = 32;
inline constexpr size_t kUnrolledNodes = 1024;
/// Iterations of a loop of constants that is evaluated while converting; longer loops stay loops.
inline constexpr int64_t kEvaluatedIterations = 128;
/// Elements of a Range that is evaluated while converting; the size of other results limits them earlier.
inline constexpr int64_t kRangeElements = 1'000'000'000;
/// Weights that are computed while writing are in sum at most kFreeGrowth bytes plus kMostGrowth times the bytes of the
/// weights that were given larger than their operands.
inline constexpr uint64_t kFreeGrowth = 4 << 20;
inline constexpr uint64_t kMostGrowth = 4;

}  // namespace fluid2onnx::limits
