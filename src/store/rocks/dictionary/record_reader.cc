// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/dictionary/record_reader.h"

#include <optional>

#include "base/status.h"
#include "base/text/text.h"
#include "store/rocks/dictionary/record_run.h"

namespace flarestack::store::rocks {
namespace {

constexpr size_t kPagesMax = 4096;

}  // namespace

const RecordPage* RecordReader::FindPage(uint32_t page_number) {
  if (pages_.size() >= kPagesMax)
    pages_.clear();
  const auto [at, is_new] = pages_.try_emplace(page_number);
  if (is_new)
    at->second = database_.records().Find(CacheKey(page_number));
  return at->second.get();
}

absl::StatusOr<std::string_view> RecordReader::Read(uint32_t number) {
  const uint32_t wanted = RecordPage::NumberOf(number);
  if (page_ == nullptr || page_number_ != wanted) {
    page_number_ = wanted;
    page_ = FindPage(wanted);
  }
  if (page_ != nullptr) {
    if (const auto record = page_->Find(number); record.has_value())
      return *record;
  }
  // A record missing from the page may be newer than the page, unless the page marks it as long.
  if (page_ == nullptr || !page_->IsLong(number)) {
    FLARE_ASSIGN(std::shared_ptr<const RecordPage> page, ReadPage(wanted));
    database_.records().Add(CacheKey(wanted), page);
    page_ = page.get();
    pages_[wanted] = std::move(page);
    if (const auto record = page_->Find(number); record.has_value())
      return *record;
  }
  return ReadAlone(number);
}

absl::StatusOr<std::shared_ptr<const RecordPage>> RecordReader::ReadPage(
    uint32_t page_number) const {
  auto page = std::make_shared<RecordPage>();
  Run run;
  const auto at = database_.NewIterator(Family::kDictionary);
  for (at->Seek(ToSlice(DictionaryKey(table_, page_number * RecordPage::kRecords))); at->Valid();
       at->Next()) {
    const std::optional<uint32_t> first = DecodeDictionaryKey(table_, ToView(at->key()));
    if (!first.has_value() || RecordPage::NumberOf(*first) != page_number)
      break;
    FLARE_RETURN_IF_ERROR(DecodeRun(*first, ToView(at->value()), &run));
    for (uint32_t i = 0; i < run.records.size(); ++i)
      page->Add(*first + i, run.records[i]);
  }
  FLARE_RETURN_IF_ERROR(ToStatus(at->status()));
  return page;
}

absl::StatusOr<std::string_view> RecordReader::ReadAlone(uint32_t number) {
  const auto at = database_.NewIterator(Family::kDictionary);
  at->SeekForPrev(ToSlice(DictionaryKey(table_, number)));
  FLARE_RETURN_IF_ERROR(ToStatus(at->status()));
  const std::optional<uint32_t> first =
      at->Valid() ? DecodeDictionaryKey(table_, ToView(at->key())) : std::nullopt;
  Run run;
  if (first.has_value())
    FLARE_RETURN_IF_ERROR(DecodeRun(*first, ToView(at->value()), &run));
  if (!first.has_value() || number - *first >= run.records.size()) {
    return absl::DataLossError(base::StrCat(
        "dictionary: entry ", std::string(1, static_cast<char>(table_)), number, " is missing"));
  }
  alone_ = run.records[number - *first];
  return alone_;
}

}  // namespace flarestack::store::rocks
