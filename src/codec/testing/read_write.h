// SPDX-License-Identifier: Apache-2.0
//
// Readers and writers of codec/format/format.h as functions from text to text, for tests.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/warnings.h"
#include "codec/format/format.h"
#include "model/batch.h"

namespace flarestack::codec::testing {

// The only batch of `bytes`, which must outlive it.
absl::StatusOr<model::Batch> ReadOne(const Reader& reader, std::string_view bytes,
                                     base::Warnings* warnings = nullptr);

// Here options.warnings may be null.
absl::StatusOr<std::string> WriteAll(const Writer& writer, const model::Batch& batch,
                                     WriteOptions options = {});

// One line "kind (count): first example" per warning.
std::string WarningText(const base::Warnings& warnings);

}  // namespace flarestack::codec::testing
