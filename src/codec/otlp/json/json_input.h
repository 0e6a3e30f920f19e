// SPDX-License-Identifier: Apache-2.0
//
// JSON text as proto3 JSON sees it: objects whose members are known by name, lists, and scalars in
// all the forms that a writer may choose. Knows where it is, so that an error says
// "resourceProfiles[0].schemaUrl: expected a string".
//
//   return in.Object(value).Read({
//       {"line", [&](Value& member) { return in.Read(member, &line.line); }},
//       {"column", [&](Value& member) { return in.Read(member, &line.column); }},
//   });
//
// This is the one place that sees simdjson's on-demand parser. Rules it keeps: null is the default
// value; a name nobody asked for is skipped (and still has to be JSON); a name in snake_case is
// taken with a warning, where it is taken; a name twice in one object is an error, because readers
// of JSON do not agree on what it means. Errors are kInvalidArgument, or kResourceExhausted for a
// limit.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/arena.h"
#include "base/warnings.h"
#include "codec/otlp/json/json_observer.h"
#include "codec/otlp/values/limits.h"
#include "model/index.h"
#include "simdjson.h"

namespace flarestack::codec::otlp {

class JsonInput {
 public:
  using Value = simdjson::ondemand::value;
  using ReadValue = absl::FunctionRef<absl::Status(Value&)>;

  struct Member {
    std::string_view name;  // lowerCamelCase
    ReadValue read;
    std::string_view former_name = {};  // what an older version of the protocol called it
  };

  // Levels of arrays and objects in a member that nobody asked for.
  static constexpr int kSkippedLevelsMax = 64;

  // OTLP/JSON knows lowerCamelCase alone, and any other name is one that nobody asked for. Profiles
  // in snake_case are found in files, so their reader takes both.
  enum class Names { kCamelCaseAlone, kSnakeCaseToo };

  // `json` and the two objects must outlive this one. Text that is kept goes into `arena`.
  JsonInput(std::string_view json, base::Arena* arena, base::Warnings* warnings,
            Names names = Names::kSnakeCaseToo);
  ~JsonInput() {
    if (memory_bytes_ != nullptr)
      *memory_bytes_ = memory_bytes_max_ - memory_left_;
  }
  JsonInput(const JsonInput&) = delete;
  JsonInput& operator=(const JsonInput&) = delete;

  // From now on, unknown members are told, and an id of any length or form is taken. The observer
  // must outlive this one.
  void Observe(JsonObserver* observer) { observer_ = observer; }

  // From now on, an id that cannot be read is no id, with a warning.
  void LeaveOutBadIds() { leaves_out_bad_ids_ = true; }

  // The whole text, which must be one object. Once.
  absl::Status ReadDocument(std::initializer_list<Member> members);

  // The value must be an object; to be read at once.
  class ObjectView {
   public:
    ObjectView(JsonInput& in, Value& value) : in_(in), value_(value) {}
    absl::Status Read(std::initializer_list<Member> members) {
      return in_.ReadObject(value_, members);
    }

   private:
    JsonInput& in_;
    Value& value_;
  };
  ObjectView Object(Value& value) { return {*this, value}; }

  absl::Status ReadArray(Value& value, ReadValue read_element);

  absl::Status Read(Value& value, int64_t* out);
  absl::Status Read(Value& value, uint64_t* out);
  absl::Status Read(Value& value, int32_t* out);
  absl::Status Read(Value& value, uint32_t* out);
  absl::Status Read(Value& value, double* out);
  absl::Status Read(Value& value, bool* out);
  absl::Status Read(Value& value, std::string_view* out);

  // An int32 on the wire: a negative one becomes an index beyond any table.
  template <typename Tag>
  absl::Status Read(Value& value, model::Index<Tag>* out) {
    int32_t number = 0;
    absl::Status status = Read(value, &number);
    out->value = static_cast<uint32_t>(number);
    return status;
  }

  absl::Status ReadBase64(Value& value, std::string_view* out);

  // An id of `id_bytes` in hexadecimal digits. Any even number of them is taken.
  absl::Status ReadHexId(Value& value, size_t id_bytes, std::string_view* out);

  // The same for items that are judged one by one later (model/item_check.h): what is no
  // hexadecimal number becomes no id.
  absl::Status ReadLenientHexId(Value& value, std::string_view* out);

  // 32 hexadecimal digits, as the OpenTelemetry Collector writes it, or base64, as the letter of
  // the rule says.
  absl::Status ReadProfileId(Value& value, std::string_view* out);

  // Walks over a value of any kind.
  absl::Status Skip(Value& value) { return SkipLevels(value, kSkippedLevelsMax); }

  static bool IsArray(Value& value);

  // What the whole message may take; its text is counted at once (memory_cost.h).
  void LimitMemory(const Limits& limits);

  // kResourceExhausted once a list has as many elements as it may have, or when one more, which
  // takes `entry_bytes`, is more than the message may take in memory.
  absl::Status CheckLimit(size_t count, uint32_t count_max, std::string_view what,
                          uint64_t entry_bytes);

  // kInvalidArgument at the current place.
  absl::Status Error(std::string_view message) const;
  // kResourceExhausted, the same way.
  absl::Status LimitError(std::string_view message) const;
  void Warn(std::string_view kind);

  // "resourceProfiles[0].scopeProfiles"
  std::string Path() const;
  std::string_view last_name() const;

 private:
  struct Step {
    std::string_view name;  // empty: an element of a list
    uint32_t index = 0;
  };

  absl::Status ReadObject(Value& value, std::initializer_list<Member> members);
  absl::Status ReadMembers(simdjson::ondemand::object object,
                           std::initializer_list<Member> members);
  absl::Status ReadMember(simdjson::ondemand::field& field, std::initializer_list<Member> members,
                          uint64_t* seen);
  const Member* Find(std::string_view name, std::initializer_list<Member> members);
  absl::Status ReadText(Value& value, std::string_view* out);
  std::string_view StandInForId(std::string_view text, size_t id_bytes);
  template <typename T>
  absl::Status ReadInteger(Value& value, T* out);
  absl::Status SkipLevels(Value& value, int levels_left);

  // What went wrong in simdjson: another kind of value than `wanted`, or text that is not JSON.
  absl::Status Failure(simdjson::error_code error, std::string_view wanted, Value& value) const;
  absl::Status Expected(std::string_view wanted, Value& value) const;
  absl::Status SyntaxError(simdjson::error_code error) const;

  std::string_view json_;
  base::Arena& arena_;
  base::Warnings& warnings_;
  JsonObserver* observer_ = nullptr;
  bool leaves_out_bad_ids_ = false;
  simdjson::padded_string padded_;
  simdjson::ondemand::parser parser_;
  std::vector<Step> path_;
  std::string camel_case_;  // scratch
  uint64_t warned_count_ = 0;
  uint64_t memory_bytes_max_ = UINT64_MAX;
  uint64_t memory_left_ = UINT64_MAX;
  uint64_t* memory_bytes_ = nullptr;
  Names names_;
};

}  // namespace flarestack::codec::otlp
