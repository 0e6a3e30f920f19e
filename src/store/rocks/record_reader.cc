// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/record_reader.h"

#include <optional>

#include "base/byte_io.h"
#include "base/status.h"
#include "base/text.h"

namespace flarestack::store::rocks {
namespace {

constexpr size_t kPagesMax = 4096;

std::string_view WithoutDay(std::string_view bytes) {
  base::ByteReader in(bytes);
  in.Varint();
  return in.rest();
}

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
  // Unless it was long then and is long now, it may be newer than the page.
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
  const std::string first = DictionaryKey(table_, page_number * RecordPage::kRecords);
  const std::string_view table_prefix = std::string_view(first).substr(0, 1);
  const auto at = database_.NewIterator(Family::kDictionary);
  for (at->Seek(ToSlice(first)); at->Valid() && at->key().starts_with(ToSlice(table_prefix));
       at->Next()) {
    base::ByteReader key(ToView(at->key()).substr(table_prefix.size()));
    const auto number = key.BigEndian<uint32_t>();
    if (RecordPage::NumberOf(number) != page_number)
      break;
    page->Add(number, WithoutDay(ToView(at->value())));
  }
  FLARE_RETURN_IF_ERROR(ToStatus(at->status()));
  return page;
}

absl::StatusOr<std::string_view> RecordReader::ReadAlone(uint32_t number) {
  FLARE_ASSIGN(std::optional<std::string> bytes,
               database_.Get(Family::kDictionary, DictionaryKey(table_, number)));
  if (!bytes.has_value()) {
    return absl::DataLossError(base::StrCat(
        "dictionary: entry ", std::string(1, static_cast<char>(table_)), number, " is missing"));
  }
  alone_ = *std::move(bytes);
  return WithoutDay(alone_);
}

}  // namespace flarestack::store::rocks
