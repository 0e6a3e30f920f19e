// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/dictionary/record_run.h"

#include <array>
#include <utility>

#include "base/byte_reader.h"
#include "base/status.h"
#include "store/rocks/cache/record_page.h"
#include "store/rocks/database/entry_stamp.h"

namespace flarestack::store::rocks {
namespace {

absl::Status CorruptRun() { return absl::DataLossError("dictionary: a run of entries is corrupt"); }

}  // namespace

void RunEncoder::Add(std::string_view record) {
  ++count_;
  base::AppendVarint(record.size(), &lengths_);
  records_ += record;
}

std::string_view RunEncoder::Take(uint32_t stamp) {
  bytes_.clear();
  base::AppendVarint(stamp, &bytes_);
  base::AppendVarint(count_, &bytes_);
  bytes_ += lengths_;
  bytes_ += records_;
  count_ = 0;
  lengths_.clear();
  records_.clear();
  return bytes_;
}

absl::Status DecodeRun(uint32_t first, std::string_view bytes, Run* run) {
  base::ByteReader in(bytes);
  run->records.clear();
  run->stamp = in.Varint32();
  if (!in.ok())
    return CorruptRun();
  if (IsDayStamp(run->stamp)) {
    run->records.push_back(in.rest());
    return absl::OkStatus();
  }
  const uint64_t count = in.Varint();
  if (!in.ok() || count == 0 || count > RecordPage::kRecords - first % RecordPage::kRecords)
    return CorruptRun();
  std::array<uint64_t, RecordPage::kRecords> lengths;
  for (uint64_t i = 0; i < count; ++i)
    lengths[i] = in.Varint();
  for (uint64_t i = 0; i < count; ++i)
    run->records.push_back(in.Take(lengths[i]));
  if (in.AtEnd())
    return absl::OkStatus();
  run->records.clear();
  return CorruptRun();
}

void RunWriter::Add(uint32_t number, std::string_view record) {
  if (run_.count() > 0 && (number != first_ + run_.count() || number % RecordPage::kRecords == 0))
    Finish();
  if (run_.count() == 0)
    first_ = number;
  run_.Add(record);
}

void RunWriter::Finish() {
  if (run_.count() > 0)
    changes_.Put(Family::kDictionary, DictionaryKey(table_, first_), run_.Take(stamp_));
}

absl::StatusOr<StoredRuns::Page> StoredRuns::ReadPage(uint32_t page_number) {
  if (at_ == nullptr)
    at_ = database_.NewIterator(Family::kDictionary);
  Page page;
  const std::string begin = DictionaryKey(table_, page_number * RecordPage::kRecords);
  for (at_->Seek(ToSlice(begin)); at_->Valid(); at_->Next()) {
    const std::optional<uint32_t> first = DecodeDictionaryKey(table_, ToView(at_->key()));
    if (!first.has_value() || RecordPage::NumberOf(*first) != page_number)
      break;
    StoredRun stored = {
        .first = *first, .bytes = std::make_unique<std::string>(ToView(at_->value())), .run = {}};
    if (DecodeRun(*first, *stored.bytes, &stored.run).ok())
      page.push_back(std::move(stored));
  }
  FLARE_RETURN_IF_ERROR(ToStatus(at_->status()));
  return page;
}

absl::StatusOr<std::optional<StoredRuns::Entry>> StoredRuns::Find(uint32_t number) {
  const uint32_t page_number = RecordPage::NumberOf(number);
  auto page = pages_.find(page_number);
  if (page == pages_.end()) {
    FLARE_ASSIGN(Page read, ReadPage(page_number));
    page = pages_.emplace(page_number, std::move(read)).first;
  }
  for (const StoredRun& stored : page->second) {
    // Wraps to a very large number if `number` is before the run.
    const uint32_t place = number - stored.first;
    if (place < stored.run.records.size())
      return Entry{.first = stored.first, .run = &stored.run, .record = stored.run.records[place]};
  }
  return std::nullopt;
}

}  // namespace flarestack::store::rocks
