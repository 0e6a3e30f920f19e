// SPDX-License-Identifier: Apache-2.0
//
// The resource and scope of stored spans, log records and points. Each is stored once and referred
// to by number, and put around the items again when a batch is read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codec/otlp/values/resource_protobuf.h"
#include "model/signal_batch.h"
#include "store/matcher.h"
#include "store/rocks/database/database.h"
#include "store/rocks/dictionary/interner.h"

namespace flarestack::store::rocks {

// Copies the output of the reverse writer passed to `encode` into a string.
template <typename Encode>
std::string EncodeToString(Encode encode) {
  codec::wire::ReverseWriter out(256);
  encode(&out);
  return std::string(out.view());
}

// Return the numbers of a resource and a scope. New ones are added to `changes`.
absl::StatusOr<uint32_t> NumberResource(const model::SignalBatch& batch,
                                        const model::Resource& resource, Interner* interner,
                                        Changes* changes);
absl::StatusOr<uint32_t> NumberScope(const model::SignalBatch& batch, const model::ItemScope& scope,
                                     Interner* interner, Changes* changes);

// Checks a stored resource or scope. Returns kDataLoss if it is not valid.
absl::Status CheckEnvelope(Table table, std::string_view record);

// Whether all matchers accept the attributes. A missing attribute counts as empty text.
bool AcceptAttributes(const std::vector<Matcher>& matchers, const model::SignalBatch& batch,
                      model::Slice attributes);

// Appends a stored resource to batch->resources.
absl::Status LoadResource(const Database& database, uint32_t number, model::SignalBatch* batch);

// Caches by resource number whether a selector accepts the resource. Lives for one query.
class ResourceFilter {
 public:
  ResourceFilter(const Database& database, std::vector<Matcher> matchers)
      : database_(database), matchers_(std::move(matchers)) {}
  absl::StatusOr<bool> Accepts(uint32_t resource);

 private:
  const Database& database_;
  const std::vector<Matcher> matchers_;
  absl::flat_hash_map<uint32_t, bool> known_;
};

// A stored item with its resource and scope.
struct StoredItem {
  uint32_t resource = 0;
  uint32_t scope = 0;
  std::string bytes;
};

// Builds the tree of a batch around items. `decode` appends one item, whose bytes the batch then
// owns.
absl::Status Assemble(const Database& database, std::vector<StoredItem> items,
                      const std::function<absl::Status(std::string_view)>& decode,
                      model::SignalBatch* batch);

}  // namespace flarestack::store::rocks
