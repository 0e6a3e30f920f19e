// SPDX-License-Identifier: Apache-2.0
//
// Reads values from the memory of another process. After the first failure every read yields 0, so
// that a series of reads needs only one check at its end.
//
//   ForeignReader in(read);
//   const auto pool = in.Get<uint64_t>(method + 8);
//   const auto length = in.Get<uint16_t>(pool + 60);
//   FLARE_RETURN_IF_ERROR(in.status());
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "record/process/proc/process_memory.h"

namespace flarestack::record::runtime {

class ForeignReader {
 public:
  explicit ForeignReader(agent::MemoryReader read) : read_(read) {}

  template <typename T>
  T Get(uint64_t address) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value = {};
    if (!Fill(address, std::span<char>(reinterpret_cast<char*>(&value), sizeof(value))))
      value = {};
    return value;
  }

  // Returns false if not all of it could be read.
  bool Fill(uint64_t address, std::span<char> out) {
    if (status_.ok())
      status_ = read_(address, out);
    return status_.ok();
  }

  std::string Bytes(uint64_t address, size_t count) {
    std::string bytes(count, '\0');
    if (!Fill(address, bytes))
      bytes.clear();
    return bytes;
  }

  // Text that ends with a zero byte, truncated after `bytes_max`. Pieces never cross a page, so
  // that text at the end of a mapping can be read.
  std::string Text(uint64_t address, size_t bytes_max) {
    std::string text;
    while (text.size() < bytes_max && status_.ok()) {
      const uint64_t to_page_end = kPageBytes - address % kPageBytes;
      const std::string piece =
          Bytes(address, std::min<uint64_t>({to_page_end, kPieceBytes, bytes_max - text.size()}));
      const size_t end = piece.find('\0');
      text.append(piece, 0, end);
      if (end != std::string::npos)
        break;
      address += piece.size();
    }
    return text;
  }

  void Fail(absl::Status status) { status_.Update(std::move(status)); }

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }

 private:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint64_t kPieceBytes = 64;

  agent::MemoryReader read_;
  absl::Status status_;
};

}  // namespace flarestack::record::runtime
