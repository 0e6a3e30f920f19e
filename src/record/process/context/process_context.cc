// SPDX-License-Identifier: Apache-2.0
#include "record/process/context/process_context.h"

#include <array>
#include <atomic>
#include <string>
#include <utility>

#include "base/byte_reader.h"
#include "base/status.h"
#include "codec/otlp/values/resource_protobuf.h"
#include "codec/wire/reader.h"
#include "elf/byte_cursor.h"
#include "record/process/proc/process_maps.h"

namespace flarestack::record::agent {
namespace {

constexpr std::string_view kName = "OTEL_CTX";  // name of the mapping, and its signature
constexpr uint32_t kVersion = 2;
constexpr uint64_t kPublishedAtOffset = 16;
constexpr int kTriesMax = 3;
constexpr size_t kMappingsMax = 4;  // there should be one
constexpr size_t kResourceIndex = 0;
constexpr size_t kExtraIndex = 1;

codec::otlp::Limits ContextLimits() {
  codec::otlp::Limits limits;
  limits.list_elements_max = 1 << 14;
  limits.table_entries_max = 1 << 10;
  limits.nesting_max = 16;
  return limits;
}

// The extra attributes of the message are those of a Resource under another field number, so they
// are re-encoded as one. Repeated messages are merged, which in protobuf means concatenated.
struct Parts {
  std::string resource;
  std::string extra;
};

absl::StatusOr<Parts> SplitPayload(std::string_view payload) {
  using codec::wire::kBytes;
  using codec::wire::Tag;
  Parts parts;
  codec::wire::Fault fault;
  for (codec::wire::Reader in(payload, &fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        parts.resource += in.Bytes();
        break;
      case Tag(2, kBytes):
        base::AppendVarint(Tag(1, kBytes), &parts.extra);
        base::AppendBytes(in.Bytes(), &parts.extra);
        break;
      default:
        in.Skip();
    }
  }
  if (fault.is_set()) {
    return absl::InvalidArgumentError(
        base::StrCat("process context: ", fault.what, " at byte ", fault.at - payload.data()));
  }
  return parts;
}

const model::KeyValue* FindKey(std::span<const model::KeyValue> attributes, std::string_view key) {
  for (const model::KeyValue& attribute : attributes) {
    if (attribute.key == key)
      return &attribute;
  }
  return nullptr;
}

std::string_view TextOf(std::span<const model::KeyValue> attributes, std::string_view key) {
  const model::KeyValue* const found = FindKey(attributes, key);
  return found != nullptr && found->value.kind == model::AnyValue::Kind::kString
             ? found->value.text
             : std::string_view();
}

struct Attempt {
  bool is_changing = false;
  bool is_known = false;
  std::optional<ProcessContext> context;
};

// The fences order our reads like the writer's writes; the system calls in between already have the
// same effect.
absl::StatusOr<Attempt> TryToRead(MemoryReader read, uint64_t address, const KnownContext& known) {
  std::array<char, kContextHeaderBytes> header_bytes = {};
  FLARE_RETURN_IF_ERROR(read(address, header_bytes));
  FLARE_ASSIGN(const ContextHeader header,
               DecodeContextHeader({header_bytes.data(), header_bytes.size()}));
  if (header.published_at_ns == 0)
    return Attempt{.is_changing = true};
  if (header.published_at_ns == known.published_at_ns && address == known.header_address)
    return Attempt{.is_known = true};
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::string payload(header.payload_bytes, '\0');
  const absl::Status payload_status = read(header.payload_address, payload);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  FLARE_ASSIGN(const uint64_t published_at_ns, ReadWord(read, address + kPublishedAtOffset));
  if (published_at_ns != header.published_at_ns)
    return Attempt{.is_changing = true};
  FLARE_RETURN_IF_ERROR(payload_status);
  FLARE_ASSIGN(ProcessContext context, ProcessContext::Decode(payload));
  context.header_address = address;
  context.published_at_ns = published_at_ns;
  Attempt attempt;
  attempt.context.emplace(std::move(context));
  return attempt;
}

bool IsContextMapping(const ProcessMapping& mapping) {
  return (mapping.kind == MappingKind::kMemfd || mapping.kind == MappingKind::kNamedMemory) &&
         !mapping.is_executable && mapping.path.starts_with(kName);
}

}  // namespace

absl::StatusOr<ContextHeader> DecodeContextHeader(std::string_view bytes) {
  elf::ByteCursor in(bytes);
  const std::string_view signature = in.Take(kName.size());
  const uint32_t version = in.U32();
  ContextHeader header;
  header.payload_bytes = in.U32();
  header.published_at_ns = in.U64();
  header.payload_address = in.U64();
  if (!in.ok() || signature != kName)
    return absl::InvalidArgumentError("not a process context header");
  if (version != kVersion)
    return absl::UnimplementedError(base::StrCat("process context of version ", version));
  // During an update, size and address may have any value.
  if (header.published_at_ns != 0 &&
      (header.payload_bytes == 0 || header.payload_bytes > kContextPayloadBytesMax)) {
    return absl::ResourceExhaustedError(
        base::StrCat("process context has a payload of ", header.payload_bytes, " bytes"));
  }
  return header;
}

absl::StatusOr<ProcessContext> ProcessContext::Decode(std::string_view payload) {
  if (payload.size() > kContextPayloadBytesMax)
    return absl::ResourceExhaustedError("the payload of the process context is too large");
  FLARE_ASSIGN(const Parts parts, SplitPayload(payload));
  ProcessContext context;
  context.bytes_.assign(parts.resource.begin(), parts.resource.end());
  context.bytes_.insert(context.bytes_.end(), parts.extra.begin(), parts.extra.end());
  const std::string_view bytes(context.bytes_.data(), context.bytes_.size());
  const codec::otlp::Limits limits = ContextLimits();
  FLARE_RETURN_IF_ERROR(
      codec::otlp::DecodeResource(bytes.substr(0, parts.resource.size()), limits, &context.batch_));
  FLARE_RETURN_IF_ERROR(
      codec::otlp::DecodeResource(bytes.substr(parts.resource.size()), limits, &context.batch_));
  return context;
}

std::span<const model::KeyValue> ProcessContext::resource_attributes() const {
  return model::In(batch_.nodes, batch_.resources[kResourceIndex].attributes);
}

std::span<const model::KeyValue> ProcessContext::extra_attributes() const {
  return model::In(batch_.nodes, batch_.resources[kExtraIndex].attributes);
}

std::string_view ProcessContext::ResourceText(std::string_view key) const {
  return TextOf(resource_attributes(), key);
}

std::string_view ProcessContext::thread_schema_version() const {
  return TextOf(extra_attributes(), "threadlocal.schema_version");
}

std::vector<std::string_view> ProcessContext::ThreadKeys() const {
  const model::KeyValue* const map = FindKey(extra_attributes(), "threadlocal.attribute_key_map");
  std::vector<std::string_view> keys;
  if (map == nullptr || map->value.kind != model::AnyValue::Kind::kArray)
    return keys;
  for (const model::KeyValue& element : model::In(batch_.nodes, map->value.nodes)) {
    if (keys.size() >= kThreadKeysMax)
      break;
    keys.push_back(element.value.kind == model::AnyValue::Kind::kString ? element.value.text
                                                                        : std::string_view());
  }
  return keys;
}

absl::StatusOr<std::optional<ProcessContext>> ReadContextAt(MemoryReader read, uint64_t address,
                                                            const KnownContext& known) {
  for (int i = 0; i < kTriesMax; ++i) {
    FLARE_ASSIGN(Attempt attempt, TryToRead(read, address, known));
    if (attempt.is_known)
      return std::optional<ProcessContext>();
    if (!attempt.is_changing)
      return std::move(attempt.context);
  }
  return absl::UnavailableError("the process context is being changed");
}

absl::StatusOr<std::optional<ProcessContext>> ReadProcessContext(pid_t pid,
                                                                 const KnownContext& known) {
  const auto read = [&](uint64_t address, std::span<char> out) {
    return ReadMemory(pid, address, out);
  };
  std::vector<uint64_t> addresses;
  if (known.header_address != 0) {
    auto again = ReadContextAt(read, known.header_address, known);
    if (again.ok())
      return again;  // on failure it may have moved
  }
  FLARE_RETURN_IF_ERROR(VisitMaps(pid, {}, [&](const ProcessMapping& mapping) {
    if (IsContextMapping(mapping))
      addresses.push_back(mapping.start);
    return addresses.size() < kMappingsMax;
  }));
  absl::Status first_fault =
      absl::NotFoundError(base::StrCat("process ", pid, " has published no context"));
  bool has_fault = false;
  for (const uint64_t address : addresses) {
    auto context = ReadContextAt(read, address, known);
    if (context.ok())
      return context;
    if (!std::exchange(has_fault, true))
      first_fault = context.status();
  }
  return first_fault;
}

}  // namespace flarestack::record::agent
