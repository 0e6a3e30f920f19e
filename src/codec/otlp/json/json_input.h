// SPDX-License-Identifier: Apache-2.0
//
// Reads JSON text by the rules of proto3 JSON: objects with known member names, lists, and scalars
// in every form that a writer may choose. Tracks its position, so that an error says
// "resourceProfiles[0].schemaUrl: expected a string".
//
//   return in.Object(value).Read({
//       {"line", [&](Value& member) { return in.Read(member, &line.line); }},
//       {"column", [&](Value& member) { return in.Read(member, &line.column); }},
//   });
//
// Only this class uses simdjson's on-demand parser. It follows these rules: null is the default
// value; an unknown name is skipped (but must be valid JSON); a name in snake_case is accepted with
// a warning, if it is accepted at all; a duplicate name in an object is an error, because JSON
// readers disagree about its meaning. Errors are kInvalidArgument, or kResourceExhausted for a
// limit.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/memory/arena.h"
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
    std::string_view former_name = {};  // the name in an older version of the protocol
  };

  // The maximum nesting of arrays and objects in an unknown member.
  static constexpr int kSkippedLevelsMax = 64;

  // OTLP/JSON allows only lowerCamelCase; any other name is unknown. Some files contain profiles in
  // snake_case, so the profiles reader accepts both.
  enum class Names { kCamelCaseOnly, kSnakeCaseToo };

  // `json`, `arena` and `warnings` must outlive this object. Text that is kept is copied into
  // `arena`.
  JsonInput(std::string_view json, base::Arena* arena, base::Warnings* warnings,
            Names names = Names::kSnakeCaseToo);
  ~JsonInput() {
    if (memory_bytes_ != nullptr)
      *memory_bytes_ = memory_bytes_max_ - memory_left_;
  }
  JsonInput(const JsonInput&) = delete;
  JsonInput& operator=(const JsonInput&) = delete;

  // From now on, reports unknown members to `observer` and accepts an id of any length or form. The
  // observer must outlive this object.
  void Observe(JsonObserver* observer) { observer_ = observer; }

  // From now on, drops an unreadable id with a warning.
  void LeaveOutBadIds() { leaves_out_bad_ids_ = true; }

  // Reads the whole text, which must be one object. Call it only once.
  absl::Status ReadDocument(std::initializer_list<Member> members);

  // The value must be an object and must be read immediately.
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

  // An int32 on the wire: a negative index becomes one beyond any table.
  template <typename Tag>
  absl::Status Read(Value& value, model::Index<Tag>* out) {
    int32_t number = 0;
    absl::Status status = Read(value, &number);
    out->value = static_cast<uint32_t>(number);
    return status;
  }

  absl::Status ReadBase64(Value& value, std::string_view* out);

  // Reads an id of `id_bytes` in hexadecimal digits. Accepts any even number of digits.
  absl::Status ReadHexId(Value& value, size_t id_bytes, std::string_view* out);

  // Same for items that are validated one by one later (model/validation/item_check.h): an id that
  // is not hexadecimal becomes empty.
  absl::Status ReadLenientHexId(Value& value, std::string_view* out);

  // Accepts 32 hexadecimal digits, as the OpenTelemetry Collector writes it, or base64, as the
  // specification literally requires.
  absl::Status ReadProfileId(Value& value, std::string_view* out);

  // Skips a value of any kind.
  absl::Status Skip(Value& value) { return SkipLevels(value, kSkippedLevelsMax); }

  static bool IsArray(Value& value);

  // Sets the memory limit of the whole message and charges its text immediately (memory_cost.h).
  void LimitMemory(const Limits& limits);

  // Returns kResourceExhausted if a list is full, or if one more element of `entry_bytes` would
  // exceed the memory limit of the message.
  absl::Status CheckLimit(size_t count, uint32_t count_max, std::string_view what,
                          uint64_t entry_bytes);

  // kInvalidArgument with the current path.
  absl::Status Error(std::string_view message) const;
  // kResourceExhausted with the current path.
  absl::Status LimitError(std::string_view message) const;
  void Warn(std::string_view kind);

  // "resourceProfiles[0].scopeProfiles"
  std::string Path() const;
  std::string_view last_name() const;

 private:
  struct Step {
    std::string_view name;  // empty for an element of a list
    uint32_t index = 0;
  };

  absl::Status ReadObject(Value& value, std::initializer_list<Member> members);
  absl::Status ReadMembers(simdjson::ondemand::object object,
                           std::initializer_list<Member> members);
  absl::Status ReadMember(simdjson::ondemand::field& field, std::initializer_list<Member> members,
                          uint64_t* seen);
  const Member* Find(std::string_view name, std::initializer_list<Member> members);
  absl::Status ReadText(Value& value, std::string_view* out);
  std::string_view PlaceholderId(std::string_view text, size_t id_bytes);
  template <typename T>
  absl::Status ReadInteger(Value& value, T* out);
  absl::Status SkipLevels(Value& value, int levels_left);

  // Converts a simdjson error: the value has another kind than `wanted`, or the text is not JSON.
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
