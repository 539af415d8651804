// Suggestions for Python and C idioms that the expression language spells differently.
#pragma once

#include <string>
#include <string_view>

namespace opgen {

/// Help for a symbol that the language does not have: the longest known one that `text` begins with, or "".
/// `length` is its length, 1 if it is none.
std::string symbol_habit(std::string_view text, size_t* length);
/// Help for `owner.member`, and for `owner.member(...)`, which is `called`.
std::string member_habit(const std::string& owner, const std::string& member, bool called);
/// Help for a word in the place of an operator ("is") or of a value ("None"), or "".
std::string word_habit(const std::string& word);
/// Help for a function that the language does not have ("isinstance"), or "".
std::string function_habit(const std::string& name);

}  // namespace opgen
