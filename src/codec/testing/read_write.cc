// SPDX-License-Identifier: Apache-2.0
#include "codec/testing/read_write.h"

#include <optional>

#include "base/status.h"

namespace flarestack::codec::testing {

absl::StatusOr<model::Batch> ReadOne(const Reader& reader, std::string_view bytes,
                                     base::Warnings* warnings) {
  base::Warnings unwanted;
  std::optional<model::Batch> read;
  const absl::Status status =
      reader.read(bytes, {.warnings = warnings != nullptr ? warnings : &unwanted},
                  [&](model::Batch batch) -> absl::Status {
                    if (read.has_value()) {
                      return absl::InternalError("the reader gave a second batch");
                    }
                    read = std::move(batch);
                    return absl::OkStatus();
                  });
  FLARE_RETURN_IF_ERROR(status);
  if (!read.has_value()) {
    return absl::InternalError("the reader gave no batch");
  }
  return *std::move(read);
}

absl::StatusOr<std::string> WriteAll(const Writer& writer, const model::Batch& batch,
                                     WriteOptions options) {
  base::Warnings unwanted;
  if (options.warnings == nullptr) {
    options.warnings = &unwanted;
  }
  std::string out;
  FLARE_RETURN_IF_ERROR(writer.write(batch, options, [&](std::string_view piece) {
    out.append(piece);
    return absl::OkStatus();
  }));
  return out;
}

std::string WarningText(const base::Warnings& warnings) {
  std::string text;
  for (const auto& [kind, entry] : warnings.kinds()) {
    base::StrAppend(&text, kind, " (", entry.count, "): ", entry.examples.front(), "\n");
  }
  return text;
}

}  // namespace flarestack::codec::testing
