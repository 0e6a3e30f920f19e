// SPDX-License-Identifier: Apache-2.0
//
// The binary CPU profile of gperftools: words of the profiled machine's size and byte order.
//
//   0  3  0  period in microseconds  0       header; the third word is 1 in a Java profile
//   count  n  pc * n                         records, leaf first
//   0  1  0                                  end of the records
//   text                                     memory map, or the table of locations of Java
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "base/text/text.h"
#include "codec/pprof/legacy/legacy_mappings.h"
#include "codec/pprof/legacy/legacy_readers.h"

namespace flarestack::codec::pprof::legacy {
namespace {

constexpr size_t kHeaderWords = 5;
constexpr int64_t kNanosPerMicro = 1000;

struct WordLayout {
  size_t bytes = 4;
  bool is_big_endian = false;
};

constexpr std::array<WordLayout, 4> kLayouts = {{{4, false}, {4, true}, {8, false}, {8, true}}};

class Words {
 public:
  Words(std::string_view bytes, WordLayout layout) : bytes_(bytes), layout_(layout) {}

  size_t left() const { return (bytes_.size() - offset_) / layout_.bytes; }
  size_t offset() const { return offset_; }
  std::string_view rest() const { return bytes_.substr(offset_); }

  // There must be a word left.
  uint64_t Next() {
    uint64_t word = 0;
    for (size_t i = 0; i < layout_.bytes; ++i) {
      const size_t place = layout_.is_big_endian ? layout_.bytes - 1 - i : i;
      word |= uint64_t{static_cast<unsigned char>(bytes_[offset_ + i])} << (8 * place);
    }
    offset_ += layout_.bytes;
    return word;
  }

 private:
  std::string_view bytes_;
  WordLayout layout_;
  size_t offset_ = 0;
};

struct Header {
  Words words;  // positioned after the header
  uint64_t period_us = 0;
  bool is_java = false;
};

std::optional<Header> ReadHeader(std::string_view bytes) {
  for (const WordLayout layout : kLayouts) {
    Words words(bytes, layout);
    if (words.left() < kHeaderWords || words.Next() != 0 || words.Next() != 3) {
      continue;
    }
    const uint64_t language = words.Next();
    const uint64_t period_us = words.Next();
    if (language <= 1 && period_us > 0 && words.Next() == 0) {
      return Header{.words = words, .period_us = period_us, .is_java = language == 1};
    }
  }
  return std::nullopt;
}

absl::Status ErrorAt(size_t offset, std::string_view what) {
  return absl::InvalidArgumentError(base::StrCat("byte ", offset, ": ", what));
}

struct Record {
  uint64_t count = 0;
  std::vector<uint64_t> addresses;

  bool IsEnd() const { return count == 0 && addresses.size() == 1 && addresses[0] == 0; }
};

// Fills `record`, whose memory is reused for each record.
absl::Status ReadRecord(Words& words, Record& record) {
  const size_t offset = words.offset();
  if (words.left() < 2) {
    return ErrorAt(offset,
                   base::StrCat("a record truncated after ", words.rest().size(), " bytes"));
  }
  record.count = words.Next();
  const uint64_t depth = words.Next();
  if (depth > words.left()) {
    return ErrorAt(offset, base::StrCat("a record of ", depth, " addresses, but there are ",
                                        words.left(), " words left"));
  }
  record.addresses.clear();
  for (uint64_t i = 0; i < depth; ++i) {
    record.addresses.push_back(words.Next());
  }
  return absl::OkStatus();
}

absl::Status ReadRecords(Words& words, bool has_return_addresses, Builder& builder) {
  const int64_t period_ns = builder.profile().period;
  Record record;
  while (!words.rest().empty()) {
    const size_t offset = words.offset();
    FLARE_RETURN_IF_ERROR(ReadRecord(words, record));
    if (record.IsEnd()) {
      return absl::OkStatus();
    }
    if (record.count > static_cast<uint64_t>(std::numeric_limits<int64_t>::max() / period_ns)) {
      return ErrorAt(
          offset, base::StrCat("a count of ", record.count, " is beyond 64 bits of nanoseconds"));
    }
    if (has_return_addresses) {
      MoveIntoCalls(Leaf::kExact, record.addresses);
    }
    const auto count = static_cast<int64_t>(record.count);
    builder.AddSample(record.addresses, std::array<int64_t, 2>{count, count * period_ns});
  }
  builder.warnings().Add("CPU profile without its end mark",
                         base::StrCat("byte ", words.offset(), ": the file ends after a record"));
  return absl::OkStatus();
}

// The address that follows the leaf in at least 31 of 32 samples.
std::optional<uint64_t> CommonSecondAddress(const Profile& profile) {
  absl::flat_hash_map<uint64_t, size_t> count_by_address;
  const size_t samples_min = profile.samples.size() - profile.samples.size() / 32;
  for (const Sample& sample : profile.samples) {
    if (sample.locations.count > 1) {
      const uint32_t second = profile.sample_locations[sample.locations.begin + 1];
      const uint64_t address = profile.locations[second].address;
      if (++count_by_address[address] >= samples_min) {
        return address;
      }
    }
  }
  return std::nullopt;
}

// If nearly all samples have the same second frame, it is the trampoline with which the kernel
// calls the signal handler; there can be two. As in google/pprof, this also applies to a file with
// a single sample, which loses two frames.
void DropSignalFrames(Builder& builder) {
  Profile& profile = builder.profile();
  for (int round = 0; round < 2; ++round) {
    const std::optional<uint64_t> address = CommonSecondAddress(profile);
    if (!address) {
      return;
    }
    for (Sample& sample : profile.samples) {
      if (sample.locations.count > 1 &&
          profile.locations[profile.sample_locations[sample.locations.begin + 1]].address ==
              *address) {
        builder.DropSecondFrame(sample);
      }
    }
  }
}

}  // namespace

bool IsCpuProfile(std::string_view bytes) { return ReadHeader(bytes).has_value(); }

absl::Status ReadCpuProfile(std::string_view bytes, Builder& builder) {
  std::optional<Header> header = ReadHeader(bytes);
  if (!header) {
    return ErrorAt(0, "not a header of a CPU profile");
  }
  if (header->period_us > std::numeric_limits<int64_t>::max() / kNanosPerMicro) {
    return ErrorAt(0, base::StrCat("a period of ", header->period_us, " us is beyond 64 bits"));
  }
  Profile& profile = builder.profile();
  profile.sample_types = {{"samples", "count"}, {"cpu", "nanoseconds"}};
  profile.period_type = {"cpu", "nanoseconds"};
  profile.period = static_cast<int64_t>(header->period_us) * kNanosPerMicro;
  FLARE_RETURN_IF_ERROR(ReadRecords(header->words, !header->is_java, builder));
  if (header->is_java) {
    ReadJavaLocations(Lines(header->words.rest()), builder);
    return absl::OkStatus();
  }
  DropSignalFrames(builder);
  builder.DropDuplicatedLeaves();
  ReadMemoryMap(Lines(header->words.rest()), &profile, &builder.warnings());
  return absl::OkStatus();
}

}  // namespace flarestack::codec::pprof::legacy
