// `opgen test`.
#pragma once

#include "generator/options.h"

namespace opgen {

/// Replaces this process by tests/conformance/run.py with the chosen examples. Returns an exit status if that fails.
int test_examples(const Options& options, const char* program);

}  // namespace opgen
