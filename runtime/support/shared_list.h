#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace fluid2onnx {

/// A copy-on-write list, for many equal lists.
template <class T>
class SharedList {
 public:
  using List = std::vector<T>;
  using const_iterator = typename List::const_iterator;

  SharedList() = default;
  SharedList(List list) : list_(list.empty() ? nullptr : std::make_shared<List>(std::move(list))) {}
  SharedList(std::initializer_list<T> list) : SharedList(List(list)) {}

  const_iterator begin() const { return list_ ? list_->cbegin() : const_iterator(); }
  const_iterator end() const { return list_ ? list_->cend() : const_iterator(); }
  size_t size() const { return list_ ? list_->size() : 0; }
  bool empty() const { return size() == 0; }

  /// The list of this copy alone, to change it. What points to its elements does so no longer.
  List& edit() {
    if (!list_) list_ = std::make_shared<List>();
    if (list_.use_count() > 1) list_ = std::make_shared<List>(*list_);
    return *list_;
  }
  void push_back(T element) { edit().push_back(std::move(element)); }

 private:
  std::shared_ptr<List> list_;
};

}  // namespace fluid2onnx
