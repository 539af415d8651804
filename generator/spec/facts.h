// Facts about Paddle's operators: the tables in opspecs/facts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "generator/spec/releases.h"
#include "generator/spec/spec.h"

namespace opgen {

struct SlotFact {
  std::string name;
  bool optional = false;
  bool list = false;
  bool extra = false;  ///< intermediate or extra: bookkeeping that inference programs may leave out
  bool dead = false;   ///< an input that the kernel never reads
};

struct AttrFact {
  std::string name;
  std::string type;              ///< bool int float string ints floats strings bools scalar scalars block blocks
  nlohmann::json default_value;  ///< Paddle's default; null: none
  bool tensor = false;           ///< may name a variable instead
  bool required = false;         ///< of ONNX: has no default, and may not be left out
  bool extra = false;            ///< without meaning for inference (Paddle's flag, less those that ignored.yaml keeps)
  std::string since{};           ///< the release that has it first, where the operator is older
};

/// Sources of a parameter besides its attribute.
struct ParamFact {
  std::string tensor_slot;         ///< one tensor with all values
  std::string list_slot;           ///< one tensor for each value
  std::string like_slot;           ///< the value is this tensor's shape
  std::vector<std::string> attrs;  ///< attributes with one value each, instead of one with all values
  std::vector<std::string> order;  ///< tensor, list, like, attr: the first that is given wins
};

struct OpFact {
  std::vector<SlotFact> inputs, outputs;
  std::vector<AttrFact> attrs;
  std::map<std::string, ParamFact> params;
  std::vector<std::string> dtypes;   ///< that its CPU kernel takes
  std::vector<std::string> changes;  ///< releases that made it compute something else
  const SlotFact* input(const std::string& name) const;
  const SlotFact* output(const std::string& name) const;
  const AttrFact* attr(const std::string& name) const;
  /// Without those that only Paddle's framework sets.
  std::vector<std::string> attr_names() const;
};

/// An operand, result or attribute of an operator of the new IR, and where the fluid operator has it.
struct PirArgument {
  std::string name;
  std::string slot;              ///< the fluid slot; empty: none
  std::string attr;              ///< the fluid attribute; empty: none
  std::string cast;              ///< of an operand: the attribute that holds its dtype; of a result: the dtype wanted
  std::string overwrites;        ///< of a result: the operand that holds it afterwards
  std::string type;              ///< of an attribute, or of an operand that may be one
  std::string stored;            ///< of an attribute: how files hold it, where that is not usual
  nlohmann::json default_value;  ///< its default; null: none
  nlohmann::json neutral;        ///< of an attribute that Fluid lacks: the value that changes nothing; null: none
  bool list = false;
  bool optional = false;
  bool ignored = false;  ///< without counterpart, and without meaning for inference
  bool may_be_attribute() const { return !type.empty(); }
};

struct PirOpFact {
  std::string fluid;                            ///< the fluid operator, or what specs call one that Fluid does not have
  bool is_newer = false;                        ///< Fluid does not have it
  std::string changed;                          ///< the release that made it compute something else; "": none
  std::map<std::string, nlohmann::json> fixed;  ///< fluid attributes that the name implies
  std::vector<PirArgument> operands, results, attrs;
  std::vector<std::string> order;  ///< of the names of operands and attributes, as Python gives them
};

/// Why there is no spec for an operator.
struct Unconverted {
  std::string category, reason;
  Span span;
};

/// Of the dtypes that Paddle's kernels take: those that some form of an operator was converted in and gave Paddle's
/// results, and those that it is always refused in.
struct DtypeFact {
  std::vector<std::string> verified, refused;
};

/// A result that has the LoD of an operand.
struct LodFact {
  std::string result;   ///< slot
  std::string operand;  ///< slot
  bool first = true;    ///< of the operand's first tensor; else of the one at the result's index
};

struct Facts {
  std::map<std::string, OpFact> ops;
  std::map<std::string, DtypeFact> dtypes;
  std::map<std::string, std::vector<LodFact>> lod;  ///< by operator
  std::map<std::string, PirOpFact> pir;             ///< without the dialect's name
  std::map<std::string, OpFact> newer;  ///< operators that came with Paddle 3, by the names that specs give them
  std::map<std::string, Unconverted> unconverted;
  std::vector<std::string> ignored_attrs;  ///< of every operator
  Releases releases;

  /// Of all known Paddles.
  std::vector<std::string> operator_names() const;
  /// "2.6 nor 3.3": the Paddles whose operators are known.
  std::string known_releases(const char* conjunction) const;
  /// The newest of them.
  std::string newest_release() const { return releases.with_signatures().back(); }
  std::string oldest_release() const { return releases.with_signatures().front(); }
};

/// Gives a file of opspecs/facts by its name; null after a diagnostic.
using ReadFact = std::function<Source(const std::string& name, Diagnostics& diagnostics)>;

/// Reads releases.yaml, the tables that it names, lod.json, params.json, dtypes.json, ignored.yaml and unconverted.yaml
/// below `directory`.
Facts read_facts(const std::string& directory, Diagnostics& diagnostics);
/// Reads only the signatures, without the tables that opgen only renders.
Facts read_signatures(const ReadFact& read, Diagnostics& diagnostics);
/// unconverted.yaml: by category and reason, the operators that have no spec.
std::map<std::string, Unconverted> read_unconverted(const Source& source, Diagnostics& diagnostics);
/// Reports operators of Paddle that have neither a spec nor a reason, or both.
void check_coverage(const SpecSet& specs, const Facts& facts, Diagnostics& diagnostics);
/// The facts of an operator: its own `signature:` if it states one, else Paddle's. nullopt after a diagnostic.
std::optional<OpFact> fact_of(const OpSpec& spec, const Facts& facts, Diagnostics& diagnostics);

}  // namespace opgen
