// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/signals/signal_envelope.h"

#include <algorithm>

#include "base/byte_reader.h"
#include "base/status.h"
#include "model/attribute_text.h"
#include "model/log.h"

namespace flarestack::store::rocks {
namespace {

// A record is a flag for whether the message was present, the schema URL, and the message.
std::string MakeRecord(bool present, std::string_view schema_url, std::string_view message) {
  std::string record(1, present ? 1 : 0);
  base::AppendBytes(schema_url, &record);
  record += message;
  return record;
}

struct EnvelopeRecord {
  bool present = false;
  std::string_view schema_url;
  std::string_view message;
};

absl::StatusOr<EnvelopeRecord> ParseRecord(std::string_view bytes) {
  base::ByteReader in(bytes);
  in.Varint();  // the stamp
  EnvelopeRecord record;
  record.present = in.Take(1) == std::string_view("\1", 1);
  record.schema_url = in.Bytes();
  record.message = in.rest();
  if (!in.ok())
    return absl::DataLossError("dictionary: a resource or scope is corrupt");
  return record;
}

absl::StatusOr<EnvelopeRecord> ReadRecord(const Database& database, Table table, uint32_t number,
                                          base::Arena* arena) {
  FLARE_ASSIGN(std::optional<std::string> bytes,
               database.Get(Family::kDictionary, DictionaryKey(table, number)));
  if (!bytes.has_value())
    return absl::NotFoundError(
        base::StrCat("dictionary: entry ", number, " of a signal is missing"));
  return ParseRecord(arena->Adopt(*std::move(bytes)));
}

absl::Status LoadScope(const Database& database, uint32_t number, model::SignalBatch* batch) {
  FLARE_ASSIGN(const EnvelopeRecord record,
               ReadRecord(database, Table::kScope, number, &batch->arena));
  FLARE_RETURN_IF_ERROR(codec::otlp::DecodeScope(record.message, {}, batch));
  batch->scopes.back().present = record.present;
  batch->scopes.back().schema_url = record.schema_url;
  return absl::OkStatus();
}

}  // namespace

absl::Status LoadResource(const Database& database, uint32_t number, model::SignalBatch* batch) {
  FLARE_ASSIGN(const EnvelopeRecord record,
               ReadRecord(database, Table::kResource, number, &batch->arena));
  FLARE_RETURN_IF_ERROR(codec::otlp::DecodeResource(record.message, {}, batch));
  batch->resources.back().present = record.present;
  batch->resources.back().schema_url = record.schema_url;
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> NumberResource(const model::SignalBatch& batch,
                                        const model::Resource& resource, Interner* interner,
                                        Changes* changes) {
  const std::string message = EncodeToString(
      [&](codec::wire::ReverseWriter* out) { codec::otlp::EncodeResource(batch, resource, out); });
  return interner->NumberBytes(Table::kResource,
                               MakeRecord(resource.present, resource.schema_url, message), changes);
}

absl::StatusOr<uint32_t> NumberScope(const model::SignalBatch& batch, const model::ItemScope& scope,
                                     Interner* interner, Changes* changes) {
  const std::string message = EncodeToString(
      [&](codec::wire::ReverseWriter* out) { codec::otlp::EncodeScope(batch, scope, out); });
  return interner->NumberBytes(Table::kScope, MakeRecord(scope.present, scope.schema_url, message),
                               changes);
}

absl::Status CheckEnvelope(Table table, std::string_view record) {
  FLARE_ASSIGN(const EnvelopeRecord envelope, ParseRecord(record));
  model::LogBatch batch;  // any of the three signals will do
  return table == Table::kResource ? codec::otlp::DecodeResource(envelope.message, {}, &batch)
                                   : codec::otlp::DecodeScope(envelope.message, {}, &batch);
}

bool AcceptAttributes(const std::vector<Matcher>& matchers, const model::SignalBatch& batch,
                      model::Slice attributes) {
  return std::ranges::all_of(matchers, [&](const Matcher& matcher) {
    const model::AnyValue* value = model::FindAttribute(batch, attributes, matcher.key());
    return matcher.Accepts(value == nullptr ? "" : model::AttributeText(batch, *value));
  });
}

absl::StatusOr<bool> ResourceFilter::Accepts(uint32_t resource) {
  if (matchers_.empty())
    return true;
  if (const auto known = known_.find(resource); known != known_.end())
    return known->second;
  model::LogBatch batch;  // any of the three signals will do: only its resources are used
  FLARE_RETURN_IF_ERROR(LoadResource(database_, resource, &batch));
  const bool accepts = AcceptAttributes(matchers_, batch, batch.resources[0].attributes);
  known_.emplace(resource, accepts);
  return accepts;
}

absl::Status Assemble(const Database& database, std::vector<StoredItem> items,
                      const std::function<absl::Status(std::string_view)>& decode,
                      model::SignalBatch* batch) {
  std::ranges::stable_sort(items, [](const StoredItem& a, const StoredItem& b) {
    return std::tie(a.resource, a.scope) < std::tie(b.resource, b.scope);
  });
  for (size_t i = 0; i < items.size(); ++i) {
    const bool is_new_resource = i == 0 || items[i].resource != items[i - 1].resource;
    if (is_new_resource) {
      FLARE_RETURN_IF_ERROR(LoadResource(database, items[i].resource, batch));
      batch->resources.back().scopes = {.begin = static_cast<uint32_t>(batch->scopes.size()),
                                        .count = 0};
    }
    if (is_new_resource || items[i].scope != items[i - 1].scope) {
      FLARE_RETURN_IF_ERROR(LoadScope(database, items[i].scope, batch));
      batch->scopes.back().items = {.begin = static_cast<uint32_t>(i), .count = 0};
      ++batch->resources.back().scopes.count;
    }
    FLARE_RETURN_IF_ERROR(decode(batch->arena.Adopt(std::move(items[i].bytes))));
    ++batch->scopes.back().items.count;
  }
  return absl::OkStatus();
}

}  // namespace flarestack::store::rocks
