// The tables of keys in docs/spec-reference.md.
#pragma once

#include <string>

namespace opgen {

/// The page, with a table between each `<!-- keys: NAME -->` and the next `<!-- end -->`, where NAME is that of a
/// KeySet.
std::string with_key_tables(const std::string& page);

}  // namespace opgen
