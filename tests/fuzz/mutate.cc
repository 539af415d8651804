#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fluid2onnx::fuzz {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr size_t kMessages = 20'000;  // a tree of more is not walked to its end

template <class F>
void for_each_message(const Message& message, size_t* left, const F& f) {
  if (*left == 0) return;
  --*left;
  f(message);
  std::vector<const FieldDescriptor*> fields;
  const Reflection& reflection = *message.GetReflection();
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      for_each_message(reflection.GetMessage(message, field), left, f);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      for_each_message(reflection.GetRepeatedMessage(message, field, i), left, f);
    }
  }
}

std::vector<Message*> messages_of(const Message& root) {
  std::vector<Message*> all;
  size_t left = kMessages;
  for_each_message(root, &left, [&](const Message& message) { all.push_back(const_cast<Message*>(&message)); });
  return all;
}

/// Values of the fields of a tree, by field.
using Pool = std::map<const FieldDescriptor*, std::vector<std::string>>;

std::string text(Random& random, const std::string& old, const FieldDescriptor* field, const Pool& pool) {
  const auto found = pool.find(field);
  if (found != pool.end() && !one_in(random, 5)) return found->second[below(random, found->second.size())];
  // Names of one field are often those of another: arguments and variables.
  if (!pool.empty() && one_in(random, 2)) {
    auto other = pool.begin();
    std::advance(other, static_cast<std::ptrdiff_t>(below(random, pool.size())));
    return other->second[below(random, other->second.size())];
  }
  return changed_text(random, old);
}

class Change {
 public:
  Change(Message* root, Random& random) : random_(random), messages_(messages_of(*root)) {
    for (const Message* message : messages_) collect(*message);
  }

  /// False if nothing was found to change.
  bool once() {
    Message& message = *messages_[below(random_, messages_.size())];
    const Descriptor& type = *message.GetDescriptor();
    if (type.field_count() == 0) return false;
    const FieldDescriptor* field = pick(message, type);
    if (!field->is_repeated()) return single(&message, field);
    return list(&message, field);
  }

 private:
  void collect(const Message& message) {
    std::vector<const FieldDescriptor*> fields;
    const Reflection& r = *message.GetReflection();
    r.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
      const int count = field->is_repeated() ? r.FieldSize(message, field) : 1;
      for (int i = 0; i < count; ++i) {
        std::string value = field->is_repeated() ? r.GetRepeatedString(message, field, i) : r.GetString(message, field);
        if (value.size() <= 4096) pool_[field].push_back(std::move(value));
      }
    }
  }

  /// Mostly a field that is there.
  const FieldDescriptor* pick(const Message& message, const Descriptor& type) {
    std::vector<const FieldDescriptor*> present;
    message.GetReflection()->ListFields(message, &present);
    if (!present.empty() && !one_in(random_, 4)) return present[below(random_, present.size())];
    return type.field(static_cast<int>(below(random_, static_cast<size_t>(type.field_count()))));
  }

  bool single(Message* message, const FieldDescriptor* field) {
    const Reflection& r = *message->GetReflection();
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (r.HasField(*message, field) && !one_in(random_, 4)) return false;  // its own fields are changed
    }
    if (r.HasField(*message, field) && one_in(random_, 8)) return r.ClearField(message, field), true;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        r.SetInt32(message, field, static_cast<int32_t>(changed_integer(random_, r.GetInt32(*message, field))));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        r.SetInt64(message, field, changed_integer(random_, r.GetInt64(*message, field)));
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        r.SetUInt32(message, field, static_cast<uint32_t>(changed_integer(random_, r.GetUInt32(*message, field))));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        r.SetUInt64(
            message, field,
            static_cast<uint64_t>(changed_integer(random_, static_cast<int64_t>(r.GetUInt64(*message, field)))));
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        r.SetDouble(message, field, changed_real(random_, r.GetDouble(*message, field)));
        break;
      case FieldDescriptor::CPPTYPE_FLOAT:
        r.SetFloat(message, field, narrow(changed_real(random_, static_cast<double>(r.GetFloat(*message, field)))));
        break;
      case FieldDescriptor::CPPTYPE_BOOL: r.SetBool(message, field, !r.GetBool(*message, field)); break;
      case FieldDescriptor::CPPTYPE_ENUM: r.SetEnumValue(message, field, some_enum(field)); break;
      case FieldDescriptor::CPPTYPE_STRING:
        r.SetString(message, field, text(random_, r.GetString(*message, field), field, pool_));
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (r.HasField(*message, field)) r.ClearField(message, field);
        else if (const Message* same = like(field->message_type()))
          r.MutableMessage(message, field)->CopyFrom(*Copy(*same).get());
        else r.MutableMessage(message, field);
        break;
    }
    return true;
  }

  bool list(Message* message, const FieldDescriptor* field) {
    const Reflection& r = *message->GetReflection();
    const int size = r.FieldSize(*message, field);
    const int at = static_cast<int>(below(random_, static_cast<size_t>(size)));
    switch (below(random_, size == 0 ? 1 : 6)) {
      case 0: add(message, field, size); break;
      case 1:
        r.SwapElements(message, field, at, size - 1);
        r.RemoveLast(message, field);
        break;
      case 2: r.SwapElements(message, field, at, static_cast<int>(below(random_, static_cast<size_t>(size)))); break;
      case 3:  // to another place
        add(message, field, size);
        r.SwapElements(message, field, static_cast<int>(below(random_, static_cast<size_t>(size) + 1)), size);
        break;
      default:
        if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) return false;
        change(message, field, at);
    }
    return true;
  }

  void add(Message* message, const FieldDescriptor* field, int size) {
    const Reflection& r = *message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32: r.AddInt32(message, field, 0); break;
      case FieldDescriptor::CPPTYPE_INT64: r.AddInt64(message, field, 0); break;
      case FieldDescriptor::CPPTYPE_UINT32: r.AddUInt32(message, field, 0); break;
      case FieldDescriptor::CPPTYPE_UINT64: r.AddUInt64(message, field, 0); break;
      case FieldDescriptor::CPPTYPE_DOUBLE: r.AddDouble(message, field, 0); break;
      case FieldDescriptor::CPPTYPE_FLOAT: r.AddFloat(message, field, 0); break;
      case FieldDescriptor::CPPTYPE_BOOL: r.AddBool(message, field, false); break;
      case FieldDescriptor::CPPTYPE_ENUM: r.AddEnumValue(message, field, 0); break;
      case FieldDescriptor::CPPTYPE_STRING: r.AddString(message, field, ""); break;
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        const Message* same =
            size > 0
                ? &r.GetRepeatedMessage(*message, field, static_cast<int>(below(random_, static_cast<size_t>(size))))
                : like(field->message_type());
        if (same == nullptr || one_in(random_, 8)) {
          r.AddMessage(message, field);
          return;
        }
        const Copy copy(*same);  // adding moves it
        r.AddMessage(message, field)->CopyFrom(*copy.get());
        return;
      }
    }
    change(message, field, size);
  }

  void change(Message* message, const FieldDescriptor* field, int at) {
    const Reflection& r = *message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        r.SetRepeatedInt32(message, field, at,
                           static_cast<int32_t>(changed_integer(random_, r.GetRepeatedInt32(*message, field, at))));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        r.SetRepeatedInt64(message, field, at, changed_integer(random_, r.GetRepeatedInt64(*message, field, at)));
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        r.SetRepeatedUInt32(message, field, at,
                            static_cast<uint32_t>(changed_integer(random_, r.GetRepeatedUInt32(*message, field, at))));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        r.SetRepeatedUInt64(message, field, at,
                            static_cast<uint64_t>(changed_integer(
                                random_, static_cast<int64_t>(r.GetRepeatedUInt64(*message, field, at)))));
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        r.SetRepeatedDouble(message, field, at, changed_real(random_, r.GetRepeatedDouble(*message, field, at)));
        break;
      case FieldDescriptor::CPPTYPE_FLOAT:
        r.SetRepeatedFloat(message, field, at,
                           narrow(changed_real(random_, static_cast<double>(r.GetRepeatedFloat(*message, field, at)))));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        r.SetRepeatedBool(message, field, at, !r.GetRepeatedBool(*message, field, at));
        break;
      case FieldDescriptor::CPPTYPE_ENUM: r.SetRepeatedEnumValue(message, field, at, some_enum(field)); break;
      case FieldDescriptor::CPPTYPE_STRING:
        r.SetRepeatedString(message, field, at, text(random_, r.GetRepeatedString(*message, field, at), field, pool_));
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE: break;
    }
  }

  static float narrow(double value) {
    constexpr double kMost = std::numeric_limits<float>::max();
    return value > kMost || value < -kMost ? std::numeric_limits<float>::infinity() : static_cast<float>(value);
  }

  int some_enum(const FieldDescriptor* field) {
    const auto& type = *field->enum_type();
    return type.value(static_cast<int>(below(random_, static_cast<size_t>(type.value_count()))))->number();
  }

  /// A message of the type, somewhere in the tree.
  const Message* like(const Descriptor* type) {
    std::vector<const Message*> same;
    for (const Message* message : messages_) {
      if (message->GetDescriptor() == type) same.push_back(message);
    }
    return same.empty() ? nullptr : same[below(random_, same.size())];
  }

  class Copy {
   public:
    explicit Copy(const Message& message) : message_(message.New()) { message_->CopyFrom(message); }
    const Message* get() const { return message_.get(); }

   private:
    std::unique_ptr<Message> message_;
  };

  Random& random_;
  std::vector<Message*> messages_;
  Pool pool_;
};

}  // namespace

void mutate(Message* message, Random& random) {
  const size_t changes = 1 + below(random, 4);
  for (size_t i = 0; i < changes; ++i) {
    // Messages move when lists grow, so each change walks the tree again.
    Change change(message, random);
    for (int attempt = 0; attempt < 20 && !change.once(); ++attempt) {
    }
  }
}

void cross(const Message& from, Message* to, Random& random) {
  struct Element {
    const FieldDescriptor* list;
    const Message* message;
  };
  std::vector<Element> elements;
  for (const Message* message : messages_of(from)) {
    std::vector<const FieldDescriptor*> fields;
    message->GetReflection()->ListFields(*message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (!field->is_repeated() || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
      for (int i = 0; i < message->GetReflection()->FieldSize(*message, field); ++i) {
        elements.push_back({field, &message->GetReflection()->GetRepeatedMessage(*message, field, i)});
      }
    }
  }
  if (elements.empty()) return;
  const Element& element = elements[below(random, elements.size())];
  std::vector<Message*> places;
  for (Message* message : messages_of(*to)) {
    if (message->GetDescriptor() == element.list->containing_type()) places.push_back(message);
  }
  if (places.empty()) return;
  Message* place = places[below(random, places.size())];
  const Reflection& r = *place->GetReflection();
  r.AddMessage(place, element.list)->CopyFrom(*element.message);
  const int last = r.FieldSize(*place, element.list) - 1;
  r.SwapElements(place, element.list, static_cast<int>(below(random, static_cast<size_t>(last) + 1)), last);
}

}  // namespace fluid2onnx::fuzz
