#include "runtime/paddle/program/pir_operators.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace fluid2onnx {
namespace {

/// Takes a word of a row apart, from its start on.
class Word {
 public:
  explicit Word(std::string_view text) : rest_(text) {}

  // Up to the first of `ends`.
  std::string until(std::string_view ends) {
    const size_t end = std::min(rest_.find_first_of(ends), rest_.size());
    std::string part(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return part;
  }
  bool skip(char mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // The text after a mark, "" without it.
  std::string behind(char mark, std::string_view ends) { return skip(mark) ? until(ends) : ""; }
  std::string default_value(std::string_view ends) {
    std::string text = behind('=', ends);
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
  }

 private:
  std::string_view rest_;
};

/// Whatever the locale.
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

std::string in_small(const std::string& slot) {
  std::string name;
  bool inside = false;  // of a word
  for (const char c : slot) {
    if (is_capital(c) && inside) name += '_';
    name += is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c;
    inside = !is_capital(c);
  }
  return name;
}

template <class Named>
void read_names(Word* word, Named* out) {
  out->name = word->until("=+*?~$#@!>");
  out->slot = out->name;
  if (word->skip('=')) out->slot = word->until("+*?~$#@!>");
  else out->name = in_small(out->slot);
}

PirOperand operand_of(Word word) {
  PirOperand out;
  read_names(&word, &out);
  out.list_slot = word.behind('+', "*?~$#@!");
  out.list = word.skip('*');
  out.optional = word.skip('?');
  out.ignored = word.skip('~');
  out.names_variable = word.skip('$');
  out.is_text = word.skip('#');
  if (word.skip('@')) {
    out.attr = word.until(":");
    if (out.attr.empty()) out.attr = out.name;
    out.type = word.behind(':', "=!");
    out.default_value = word.default_value("!");
  }
  out.cast = word.behind('!', "");
  return out;
}

/// Of digits that opgen wrote.
int64_t integer(const std::string& digits) {
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

PirResult result_of(Word word) {
  PirResult out;
  read_names(&word, &out);
  out.list = word.skip('*');
  out.optional = word.skip('?');
  if (word.skip('>')) out.overwrites = static_cast<int>(integer(word.until("!")));
  out.cast = word.behind('!', "");
  return out;
}

PirAttr attr_of(Word word) {
  PirAttr out;
  out.name = word.until(":");
  out.type = word.behind(':', "=@~");
  out.default_value = word.default_value("@~");
  out.attr = word.skip('@') ? word.until("~") : out.name;
  out.ignored = word.skip('~');
  return out;
}

PirFixedAttr fixed_of(Word word) {
  PirFixedAttr out{word.until("="), false};
  const std::string value = word.behind('=', "");
  if (value.find('.') != std::string::npos) out.value = std::strtod(value.c_str(), nullptr);
  else if (value != "true" && value != "false") out.value = integer(value);
  else out.value = value == "true";
  return out;
}

template <class Item>
std::vector<Item> items_of(std::string_view words, Item (*read)(Word)) {
  std::vector<Item> items;
  items.reserve(words.empty() ? 0 : static_cast<size_t>(std::count(words.begin(), words.end(), ' ')) + 1);
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    items.push_back(read(Word(words.substr(0, end))));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return items;
}

PirOperator operator_of(const PirRow& row) {
  return {row.name,
          row.fluid.empty() ? row.name : row.fluid,
          items_of(row.operands, operand_of),
          items_of(row.results, result_of),
          items_of(row.attrs, attr_of),
          items_of(row.fixed, fixed_of)};
}

/// A model has few of the operators; each is taken apart once, whichever thread asks first.
struct Known {
  std::once_flag once;
  PirOperator op;
};

}  // namespace

const PirOperator* find_pir_operator(std::string_view name) {
  const std::span<const PirRow> rows = pir_rows();
  const auto row = std::lower_bound(rows.begin(), rows.end(), name,
                                    [](const PirRow& r, std::string_view wanted) { return r.name < wanted; });
  if (row == rows.end() || row->name != name) return nullptr;
  static const std::unique_ptr<Known[]> all = std::make_unique<Known[]>(rows.size());
  Known& known = all[static_cast<size_t>(row - rows.begin())];
  std::call_once(known.once, [&] { known.op = operator_of(*row); });
  return &known.op;
}

}  // namespace fluid2onnx
