#include "tests/fuzz/mutate_json.h"

#include <string>
#include <utility>
#include <vector>

namespace fluid2onnx::fuzz {
namespace {

constexpr size_t kValues = 20'000;  // a tree of more is not walked to its end
constexpr int kDepth = 500;

/// Values and the keys that lead to them. An element of a list has the list's key and "[]".
using Places = std::vector<std::pair<std::string, Json*>>;

void collect(Json* value, const std::string& key, int depth, Places* places) {
  if (places->size() >= kValues || depth > kDepth) return;
  places->emplace_back(key, value);
  if (value->is_array()) {
    for (Json& element : *value) collect(&element, key + "[]", depth + 1, places);
  } else if (value->is_object()) {
    for (auto& [name, member] : value->items()) collect(&member, name, depth + 1, places);
  }
}

Places places_of(Json* tree) {
  Places places;
  collect(tree, "", 0, &places);
  return places;
}

/// A place of the key; null if it has none.
Json* place_of_key(const Places& places, const std::string& key, Random& random) {
  std::vector<Json*> same;
  for (const auto& [name, value] : places) {
    if (name == key) same.push_back(value);
  }
  return same.empty() ? nullptr : same[below(random, same.size())];
}

/// A value that the key has somewhere in the tree; null if none.
Json value_of_key(const Places& places, const std::string& key, Random& random) {
  const Json* place = place_of_key(places, key, random);
  return place ? *place : Json();
}

void change_list(Json* list, const std::string& key, const Places& places, Random& random) {
  const auto at = [&] { return list->begin() + static_cast<std::ptrdiff_t>(below(random, list->size())); };
  if (list->empty() || one_in(random, 4)) {
    Json added = value_of_key(places, key + "[]", random);
    list->insert(list->begin() + static_cast<std::ptrdiff_t>(below(random, list->size() + 1)), std::move(added));
    return;
  }
  switch (below(random, 3)) {
    case 0: list->erase(at()); break;
    case 1: at()->swap(*at()); break;
    default: {
      Json repeated = *at();
      list->insert(at(), std::move(repeated));
    }
  }
}

void change_object(Json* object, const Places& places, Random& random) {
  if (object->empty() || one_in(random, 3)) {
    const std::string& key = places[below(random, places.size())].first;
    if (key.empty() || key.ends_with("[]")) return;  // not a key of an object
    (*object)[key] = value_of_key(places, key, random);
    return;
  }
  auto at = object->begin();
  std::advance(at, static_cast<std::ptrdiff_t>(below(random, object->size())));
  if (one_in(random, 4)) object->erase(at);
  else at.value() = value_of_key(places, at.key(), random);
}

void change(const std::string& key, Json* value, const Places& places, Random& random) {
  if (one_in(random, 3)) {
    Json other = one_in(random, 20) ? *places[below(random, places.size())].second : value_of_key(places, key, random);
    *value = std::move(other);
    return;
  }
  switch (value->type()) {
    case Json::value_t::array: change_list(value, key, places, random); break;
    case Json::value_t::object: change_object(value, places, random); break;
    case Json::value_t::string: *value = changed_text(random, value->get<std::string>()); break;
    case Json::value_t::boolean: *value = !value->get<bool>(); break;
    case Json::value_t::number_float: *value = changed_real(random, value->get<double>()); break;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: *value = changed_integer(random, value->get<int64_t>()); break;
    default: *value = 0;
  }
}

}  // namespace

Json parse_json(std::string_view text) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < kDepth; };
  return Json::parse(text, shallow, /*allow_exceptions=*/false);
}

std::string json_text(const Json& tree) { return tree.dump(-1, ' ', false, Json::error_handler_t::replace); }

void mutate(Json* tree, Random& random) {
  const size_t changes = 1 + below(random, 4);
  for (size_t i = 0; i < changes; ++i) {
    // Values move when lists grow, so each change walks the tree again.
    const Places places = places_of(tree);
    const auto& [key, value] = places[below(random, places.size())];
    change(key, value, places, random);
  }
}

void cross(const Json& from, Json* to, Random& random) {
  Json source = from;
  const Places given = places_of(&source), places = places_of(to);
  const auto& [key, value] = given[below(random, given.size())];
  if (Json* place = place_of_key(places, key, random)) *place = *value;
}

}  // namespace fluid2onnx::fuzz
