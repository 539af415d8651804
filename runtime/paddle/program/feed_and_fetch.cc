#include "runtime/paddle/program/feed_and_fetch.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "runtime/paddle/program/make_op.h"
#include "runtime/paddle/program/uses.h"
#include "runtime/support/error.h"
#include "runtime/support/hints.h"

namespace fluid2onnx {
namespace {

Error bad_port(const Program& program, const Op& op, const std::string& message) {
  return Error(E_BAD_PROGRAM, message).at(program.model_path + ": " + op.place()).hint(kHowToExport);
}

bool is_feed(const Op& op) { return op.type == "feed"; }
bool is_fetch(const Op& op) { return op.type == "fetch"; }

void refuse_in_sub_blocks(const Program& program) {
  for (const Block& block : program.blocks) {
    if (block.index == 0) continue;
    for (const Op& op : block.ops) {
      if (is_feed(op) || is_fetch(op)) throw bad_port(program, op, "expected in the main block only");
    }
  }
}

/// A feed or fetch op before it is sorted by column.
struct Port {
  int64_t column;
  std::string value;
};

int64_t column_of(const Program& program, const Op& op) {
  const Attribute* column = op.attr("col");
  const std::optional<int64_t> value = column ? column->as_int() : std::optional<int64_t>(0);
  if (!value || *value < 0) throw bad_port(program, op, "attribute 'col' is not a position");
  return *value;
}

void sort_by_column(std::vector<Port>& ports) {
  std::stable_sort(ports.begin(), ports.end(), [](const Port& a, const Port& b) { return a.column < b.column; });
}

class Extractor {
 public:
  explicit Extractor(Program& program) : program_(program) {}

  void run() {
    Block& main = program_.blocks.front();
    find_last_writes(main);
    find_ports(main);
    for (size_t i = 0; i < main.ops.size(); ++i) {
      Op& op = main.ops[i];
      if (is_feed(op)) {
        add_feed(op);
      } else if (is_fetch(op)) {
        add_fetch(op, i);
      } else {
        note_uses(op);
        keep(main, std::move(op));
      }
    }
    main.ops.erase(main.ops.begin() + static_cast<std::ptrdiff_t>(kept_), main.ops.end());
    sort_by_column(feeds_);
    sort_by_column(fetches_);
    for (const Port& feed : feeds_) program_.inputs.push_back({feed.value});
    for (const Port& fetch : fetches_) {
      program_.outputs.push_back({unique_output_name(original_name(fetch.value)), fetch.value});
    }
  }

 private:
  // In place: what a fetch becomes takes no more than the place of the fetch.
  void keep(Block& main, Op&& op) {
    Op& place = main.ops[kept_++];
    if (&place != &op) place = std::move(op);
  }

  // Where each fetched variable is written last, to find the fetches that come before.
  void find_last_writes(const Block& main) {
    const auto first = std::find_if(main.ops.begin(), main.ops.end(), is_fetch);
    for (auto op = first; op != main.ops.end(); ++op) {
      if (is_fetch(*op)) continue;
      const auto at = static_cast<size_t>(op - main.ops.begin());
      for_each_written(program_, *op, [&](const std::string& name) { last_write_[name] = at; });
    }
  }

  // The variables of feeds and fetches; others are not needed.
  void find_ports(const Block& main) {
    for (const Op& op : main.ops) {
      if (is_feed(op)) ports_.insert(op.output("Out", 0));
      if (is_fetch(op)) ports_.insert(op.input("X", 0));
    }
  }

  void note_uses(const Op& op) {
    for_each_read(program_, op, [this](const std::string& name) {
      if (ports_.count(name)) used_.insert(name);
    });
    for_each_written(program_, op, [this](const std::string& name) {
      if (!ports_.count(name)) return;
      used_.insert(name);
      defined_.insert(name);
    });
  }

  void add_feed(const Op& op) {
    const std::string& name = op.output("Out", 0);
    if (name.empty()) throw bad_port(program_, op, "expected a variable in slot 'Out'");
    if (!program_.main().find(name)) {
      throw bad_port(program_, op, "input '" + name + "' is not declared");
    }
    if (used_.count(name)) {
      throw bad_port(program_, op, "input '" + name + "' is used before it is fed");
    }
    if (!fed_.insert(name).second) {
      throw bad_port(program_, op, "input '" + name + "' is fed twice");
    }
    feeds_.push_back({column_of(program_, op), name});
  }

  void add_fetch(const Op& op, size_t at) {
    const std::string& name = op.input("X", 0);
    if (name.empty()) throw bad_port(program_, op, "expected a variable in slot 'X'");
    const Variable* variable = program_.main().find(name);
    const bool is_parameter = variable && variable->persistable;
    if (!is_parameter && !fed_.count(name) && !defined_.count(name)) {
      throw bad_port(program_, op, "output '" + name + "' has no producer");
    }
    const auto written = last_write_.find(name);
    const bool overwritten = written != last_write_.end() && written->second > at;
    fetches_.push_back({column_of(program_, op), overwritten ? save_value(op, name) : name});
  }

  // Copies the present value of `name` into a new variable.
  std::string save_value(const Op& fetch, const std::string& name) {
    std::string saved = name + "@fetch" + std::to_string(fetch.index);
    while (program_.main().find(saved)) saved += "@";
    Variable variable;
    if (const Variable* declared = program_.main().find(name)) variable = *declared;
    variable.persistable = false;
    program_.blocks.front().variables.emplace(saved, std::move(variable));
    saved_from_[saved] = name;
    // `name` may be gone afterwards.
    keep(program_.blocks.front(), make_op_at(fetch, "assign", {{"X", {name}}}, {{"Out", {saved}}}));
    return saved;
  }

  std::string original_name(const std::string& value) const {
    const auto found = saved_from_.find(value);
    return found == saved_from_.end() ? value : found->second;
  }

  std::string unique_output_name(const std::string& wanted) {
    std::string name = wanted;
    size_t& count = name_counts_[wanted];  // so that many equal names don't take long
    while (!output_names_.insert(name).second) name = wanted + "_" + std::to_string(++count);
    return name;
  }

  Program& program_;
  size_t kept_ = 0;  // number of leading operators that are kept
  std::vector<Port> feeds_, fetches_;
  std::unordered_set<std::string> ports_, used_, defined_, fed_;
  std::map<std::string, size_t> last_write_;
  std::map<std::string, std::string> saved_from_;
  std::set<std::string> output_names_;
  std::map<std::string, size_t> name_counts_;
};

}  // namespace

void replace_feeds_and_fetches(Program& program) {
  refuse_in_sub_blocks(program);
  Extractor(program).run();
}

}  // namespace fluid2onnx
