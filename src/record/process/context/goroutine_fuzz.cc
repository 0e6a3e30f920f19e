// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as the memory of a Go program, and as the record of a goroutine. Records that are
// read are complete; labels lie inside their record, and are sorted and valid.
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/check.h"
#include "base/text/encoding.h"
#include "record/process/context/goroutine.h"
#include "record/process/context/goroutine_reader.h"

namespace agent = flarestack::record::agent;
namespace bpf = flarestack::record::bpf;

namespace {

constexpr uint64_t kBase = 0x10000;

bool IsInside(std::string_view text, std::string_view record) {
  return text.empty() || (text.data() >= record.data() &&
                          text.data() + text.size() <= record.data() + record.size());
}

void CheckRecord(std::string_view record) {
  const auto goroutine = agent::DecodeGoroutine(record);
  FLARE_CHECK(goroutine.has_value() == (record.size() >= sizeof(uint64_t)));
  if (!goroutine.has_value())
    return;
  FLARE_CHECK(goroutine->labels.size() <= bpf::GO_LABELS_MAX);
  std::string_view last;
  for (const agent::Goroutine::Label& label : goroutine->labels) {
    FLARE_CHECK(label.key > last);
    FLARE_CHECK(flarestack::base::IsValidUtf8(label.key));
    FLARE_CHECK(flarestack::base::IsValidUtf8(label.value));
    FLARE_CHECK(IsInside(label.key, record) && IsInside(label.value, record));
    last = label.key;
  }
}

}  // namespace

// The memory begins at kBase with g. Fields have small offsets, so that small inputs reach them.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckRecord(bytes);
  const auto read = [&](uint64_t address, std::span<char> out) {
    if (address < kBase || address - kBase > bytes.size() ||
        out.size() > bytes.size() - (address - kBase))
      return absl::OutOfRangeError("");
    if (!out.empty())
      std::memcpy(out.data(), bytes.data() + (address - kBase), out.size());
    return absl::OkStatus();
  };
  for (const bpf::go_label_kind kind : {bpf::GO_LABEL_MAP, bpf::GO_LABEL_LIST}) {
    const bpf::go_process go = {.place = bpf::GO_THREAD_LOCAL,
                                .label_kind = static_cast<uint8_t>(kind),
                                .g_m = 0,
                                .g_goid = 8,
                                .g_labels = 16,
                                .m_curg = 24,
                                .reserved = {},
                                .offset = 0};
    const auto record = agent::ReadGoroutine(go, kBase, read);
    if (!record.has_value())
      continue;
    FLARE_CHECK(record->size() <= sizeof(uint64_t) + sizeof(bpf::goroutine_message::record));
    CheckRecord(*record);
  }
  return 0;
}
