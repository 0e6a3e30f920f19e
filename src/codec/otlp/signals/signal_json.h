// SPDX-License-Identifier: Apache-2.0
//
// The tree of traces, logs and metrics in OTLP/JSON. It has the same shape for all three; only the
// member names differ. Private to codec/otlp: use traces_json.h, logs_json.h, metrics_json.h.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/warnings.h"
#include "codec/otlp/json/json_input.h"
#include "codec/otlp/json/json_lists.h"
#include "codec/otlp/json/json_output.h"
#include "codec/otlp/json/json_resource.h"
#include "codec/otlp/json/json_value_reader.h"
#include "codec/otlp/json/json_value_writer.h"
#include "codec/otlp/values/limits.h"
#include "model/signal_batch.h"

namespace flarestack::codec::otlp {

struct SignalNames {
  std::string_view resources;  // "resourceSpans"
  std::string_view scopes;     // "scopeSpans"
  std::string_view items;      // "spans"
};

class SignalJsonReader {
 public:
  SignalJsonReader(const SignalJsonReader&) = delete;  // its members point to each other
  SignalJsonReader& operator=(const SignalJsonReader&) = delete;

  // Reads the whole text into an empty batch.
  absl::Status Read();

 protected:
  using Value = JsonInput::Value;

  // All must outlive the reader.
  SignalJsonReader(std::string_view json, const SignalNames& names, const Limits& limits,
                   model::SignalBatch* batch, base::Warnings* warnings);
  ~SignalJsonReader() = default;

  // Appends one item.
  virtual absl::Status ReadItem(Value& value) = 0;
  virtual uint32_t item_count() const = 0;

  absl::Status ReadAttributes(Value& value, model::Slice* out);
  absl::Status ReadAnyValue(Value& value, model::AnyValue* out) {
    return values_.ReadValue(value, out);
  }

  // Reads a list of messages inside an item; `read_entry` appends each to `pool`.
  template <typename Entry, typename ReadEntry>
  absl::Status ReadMessages(Value& value, const std::vector<Entry>& pool, ReadEntry read_entry,
                            model::Slice* out) {
    return ReadJsonMessages(in_, value, pool, limits_.items_max, read_entry, out);
  }
  template <typename T>
  absl::Status ReadList(Value& value, std::vector<T>* pool, model::Slice* out) {
    return ReadJsonList(in_, limits_, value, pool, out);
  }

  // Enumerations are numbers in OTLP/JSON, never names.
  template <typename Enum>
  absl::Status ReadEnum(Value& value, Enum* out) {
    int32_t number = 0;
    absl::Status status = in_.Read(value, &number);
    *out = static_cast<Enum>(number);
    return status;
  }

  const Limits& limits_;
  JsonInput in_;

 private:
  absl::Status ReadResourceItems(Value& value);
  absl::Status ReadScopeItems(Value& value);

  SignalNames names_;
  model::SignalBatch& batch_;
  JsonValueReader values_;
  JsonResourceReader resources_;
};

class SignalJsonWriter {
 public:
  SignalJsonWriter(const SignalJsonWriter&) = delete;
  SignalJsonWriter& operator=(const SignalJsonWriter&) = delete;

  absl::Status Write();

 protected:
  SignalJsonWriter(const model::SignalBatch& batch, const SignalNames& names, WriteBytes write)
      : out_(write), names_(names), batch_(batch), values_{.nodes = batch.nodes} {}
  ~SignalJsonWriter() = default;

  virtual void WriteItem(uint32_t index) = 0;

  void WriteAttributes(std::string_view name, model::Slice nodes) {
    WriteJsonKeyValues(values_, name, nodes, &out_);
  }
  void WriteAnyValue(std::string_view name, const model::AnyValue& value);

  // Writes a repeated field; omits it if empty.
  template <typename T, typename WriteOne>
  void WriteList(std::string_view name, std::span<const T> items, WriteOne write_one) {
    if (items.empty())
      return;
    out_.Name(name);
    out_.BeginArray();
    for (const T& item : items) {
      if (!out_.ok())
        return;
      write_one(item);
    }
    out_.EndArray();
  }
  template <typename Enum>
  void EnumField(std::string_view name, Enum number) {
    out_.SignedNumberField(name, static_cast<int32_t>(number));
  }

  JsonOutput out_;

 private:
  void WriteResourceItems(const model::Resource& resource);
  void WriteScopeItems(const model::ItemScope& scope);

  SignalNames names_;
  const model::SignalBatch& batch_;
  JsonValues values_;
};

}  // namespace flarestack::codec::otlp
