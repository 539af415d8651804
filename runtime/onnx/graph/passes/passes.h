// Small improvements of a finished graph. Each keeps what the model computes, bit by bit (biases and weights: but for
// rounding). Constants: equal ones and transposed copies become one, unused ones go.
#pragma once

#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx {

struct PassOptions {
  bool dead_nodes = true;
  bool identities = true;  ///< Identity, pairs of casts
  bool transposes = true;  ///< pairs of Transpose
  bool reshapes = true;    ///< Reshape, Squeeze, Unsqueeze and Flatten in a row
  bool equal = true;       ///< nodes that compute the same
  bool biases = true;      ///< Add after Conv and MatMul, Slice after Conv
  bool constants = true;   ///< equal ones, unused ones
  bool fusions = true;     ///< forms that ONNX Runtime gets wrong
  bool weights = true;     ///< integers stored as floats
};

/// Runs the passes until nothing changes any more. To be called with the main graph complete, and no other open.
void run_passes(Model& model, const PassOptions& options = {});

// Each gives the number of changes.

/// Removes nodes with unused results, and unused optional results.
int remove_dead_nodes(Model& model);
/// Removes Identity nodes, and Cast nodes that undo a lossless one.
int remove_identities(Model& model);
/// Merges Transpose nodes that follow each other, also with element-wise nodes between them.
int merge_transposes(Model& model);
/// Lets a Reshape begin where the dims were changed first, and ends detours that come back to the dims of before.
int merge_reshapes(Model& model);
/// Replaces -1 beside a dynamic dimension by its size if known, and emits Flatten if -1 covers all axes but the first:
/// in an empty tensor -1 is ambiguous, and ONNX Runtime reports an error.
int settle_reshapes(Model& model);
/// Common subexpression elimination.
int merge_common_subexpressions(Model& model);
/// Makes constants that are added to each channel of a convolution its bias, and MatMul with Add of rank 2 a Gemm.
int fuse_biases(Model& model);
/// Makes a Slice of a convolution's result smaller padding.
int merge_slices(Model& model);
/// Multiplies the factors of a BatchNormalization into the weights of the convolution before it. Not among the passes
/// that always run: runtimes do it when they load a model, but of weights in 16 bits too little is left by then.
int fuse_batch_norms(Model& model);
/// The same where weights are quantised: runtimes do not do that, and need it for integer convolutions.
int fuse_quantised_batch_norms(Model& model);
/// Stores integer weights beside quantised activations as int8.
int quantise_weights(Model& model);
/// Quantises the results of quantised convolutions before activations too, which integer convolutions need.
int quantise_activations(Model& model);
/// Rewrites forms that ONNX Runtime's optimiser breaks.
int avoid_wrong_fusions(Model& model);
/// Merges equal constants. Large ones count as equal when they are the same bytes of the same file, or computed in the
/// same way from such bytes.
int merge_constants(Model& model);
int remove_unused_constants(Model& model);
/// Large weights that the model has as they are, and transposed too, are turned by a node: they are written once.
int share_transposed(Model& model);

}  // namespace fluid2onnx
