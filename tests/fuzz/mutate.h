// Changes of protobuf messages that keep them messages: the fuzzer reaches what a valid file leads to.
#pragma once

#include <google/protobuf/message.h>

#include "tests/fuzz/random_values.h"

namespace fluid2onnx::fuzz {

/// Makes one to four changes in `message`, or in messages within it: a field gets another value, or one that the same
/// field has elsewhere; elements are added, repeated, moved and removed.
void mutate(google::protobuf::Message* message, Random& random);

/// Copies an element of some list in `from` to a list of the same field in `to`: operators, attributes, variables.
void cross(const google::protobuf::Message& from, google::protobuf::Message* to, Random& random);

}  // namespace fluid2onnx::fuzz
