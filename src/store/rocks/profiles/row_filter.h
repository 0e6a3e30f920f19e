// SPDX-License-Identifier: Apache-2.0
//
// Selects the rows of a chunk that belong to a query: by time, by trace or span, and by the sample
// attributes of a selector. Not thread-safe.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "model/builder/batch_builder.h"
#include "store/chunk/chunk.h"
#include "store/rocks/dictionary/dictionary_loader.h"
#include "store/store.h"

namespace flarestack::store::rocks {

class RowFilter {
 public:
  // `matchers` are the matchers of the query whose key no resource has. All arguments must outlive
  // the filter.
  RowFilter(const Database& database, const ProfileQuery& query,
            const std::vector<Matcher>& matchers)
      : query_(query), matchers_(matchers), loader_(database, &texts_.dictionary()) {
    for (const SpanRef& span : query.spans)
      spans_.insert(span.trace_id + span.span_id);
  }

  bool needs_attributes() const { return !matchers_.empty(); }
  bool needs_links() const { return !query_.spans.empty(); }

  // Whether a chunk with these links may have accepted rows. Only valid if links are needed.
  bool WantsAnyOf(const std::vector<ChunkLink>& links) const;

  // Call before testing rows of another chunk.
  absl::Status Enter(const Chunk& chunk);

  bool Accepts(const ChunkRow& row, TimeRange range) const {
    return row.time >= range.from && row.time < range.to &&
           (query_.spans.empty() || (row.link != 0 && accepts_link_[row.link - 1])) &&
           (matchers_.empty() || accepts_[row.profile * set_count_ + row.attributes]);
  }

 private:
  bool IsWanted(const ChunkLink& link) const;

  // The value that a matcher finds in a list of attributes; nullopt if its key is missing.
  absl::StatusOr<std::optional<std::string>> TextIn(const ChunkAttributes& attributes,
                                                    const Matcher& matcher);

  const ProfileQuery& query_;
  const std::vector<Matcher>& matchers_;
  model::BatchBuilder texts_;
  DictionaryLoader loader_;
  absl::flat_hash_set<std::string> spans_;  // trace ids, followed by the span id for a single span
  std::vector<bool> accepts_link_;          // by link of the chunk
  size_t set_count_ = 0;
  std::vector<bool> accepts_;  // by profile and attribute set
};

}  // namespace flarestack::store::rocks
