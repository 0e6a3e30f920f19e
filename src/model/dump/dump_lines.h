// SPDX-License-Identifier: Apache-2.0
//
// The lines of a dump (model/dump/dump.h, model/dump/signal_dump.h), and the parts that all dumps
// share: resources, scopes and attributes. Fields with their default value are omitted.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "model/any_value.h"
#include "model/resource.h"

namespace flarestack::model {

class DumpLines {
 public:
  // Both must outlive this object. Values by reference point into `strings`; if it is null, there
  // must be no such values.
  explicit DumpLines(const std::vector<KeyValue>& nodes,
                     const std::vector<std::string_view>* strings = nullptr)
      : nodes_(nodes), strings_(strings) {}

  // Adds one level of indentation during its lifetime.
  class Nest {
   public:
    explicit Nest(DumpLines* dumper) : dumper_(dumper) { dumper_->indent_ += 2; }
    ~Nest() { dumper_->indent_ -= 2; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    DumpLines* dumper_;
  };

  template <typename... Args>
  void Line(const Args&... args) {
    out_.append(indent_, ' ');
    base::StrAppend(&out_, args...);
    out_.push_back('\n');
  }
  template <typename T>
  void NumberLine(std::string_view name, T number) {
    if (number != 0) {
      Line(name, " ", number);
    }
  }
  void TextLine(std::string_view name, std::string_view text) {
    if (!text.empty()) {
      Line(name, " ", Quoted(text));
    }
  }
  template <typename T>
  void ListLine(std::string_view name, std::span<const T> items) {
    if (items.empty()) {
      return;
    }
    std::string text(name);
    for (const T& item : items) {
      base::StrAppend(&text, " ", item);
    }
    Line(text);
  }

  // Each starts a line; use a Nest to write the lines below it.
  void AddHead(const Resource& resource, std::span<const EntityRef> entity_refs,
               const std::vector<std::string_view>& entity_keys);
  void AddHead(const InstrumentationScope& scope);

  // Attributes are a set, so they are sorted.
  void AddNodes(Slice nodes, std::string_view name = "attribute");
  void AddSorted(std::vector<std::string> lines);
  void IdLine(std::string_view name, std::string_view id);

  std::string ValueText(const AnyValue& value) const;

  // Quotes a text such that different bytes look different.
  static std::string Quoted(std::string_view text);
  static std::string DoubleText(double number);

  std::string TakeText() { return std::move(out_); }

 private:
  std::string_view Key(const KeyValue& node) const {
    return node.key_index ? (*strings_)[node.key_index.value] : node.key;
  }

  const std::vector<KeyValue>& nodes_;
  const std::vector<std::string_view>* strings_;
  std::string out_;
  size_t indent_ = 0;
};

}  // namespace flarestack::model
