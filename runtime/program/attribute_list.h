#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/program/attribute.h"

namespace fluid2onnx {

// The attributes of an op, in the order of the file. Most ops of a type have the same, so that copies share them until
// one is changed: they are a third of what a program takes in memory.
class AttributeList {
 public:
  using List = std::vector<Attribute>;
  using const_iterator = List::const_iterator;

  AttributeList() = default;
  AttributeList(List list) : list_(std::make_shared<List>(std::move(list))) {}
  AttributeList(std::initializer_list<Attribute> list) : AttributeList(List(list)) {}

  const_iterator begin() const { return list_ ? list_->cbegin() : const_iterator(); }
  const_iterator end() const { return list_ ? list_->cend() : const_iterator(); }
  std::size_t size() const { return list_ ? list_->size() : 0; }
  bool empty() const { return size() == 0; }

  // The list of this op alone, to change it. What points to its elements does so no longer.
  List& edit() {
    if (!list_) list_ = std::make_shared<List>();
    if (list_.use_count() > 1) list_ = std::make_shared<List>(*list_);
    return *list_;
  }
  void push_back(Attribute attribute) { edit().push_back(std::move(attribute)); }

 private:
  std::shared_ptr<List> list_;
};

}  // namespace fluid2onnx
