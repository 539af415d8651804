// Small texts of messages and files.
#pragma once

#include <string>
#include <vector>

namespace opgen {

/// A letter, digit or underscore: what names are made of.
bool is_word(char c);

/// A space, tab or line feed.
bool is_blank(char c);

/// "a, b, c".
std::string joined(const std::vector<std::string>& words);

}  // namespace opgen
