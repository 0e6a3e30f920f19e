// SPDX-License-Identifier: Apache-2.0
//
// Writes profiles in any output format to a file or standard output.
#pragma once

#include <string>

#include "codec/format/format.h"
#include "model/batch.h"

namespace flarestack::cli {

// Finds the writer by name, or by the extension of the path if `to` is empty. Returns nullptr after
// reporting an error.
const codec::Writer* ChooseWriter(const std::string& to, const std::string& out_path);

// Checks that the path is writable, without changing an existing file. Returns the exit code.
// Reports errors.
int CheckOutput(const std::string& path);

// Compresses as the extension of the path says. Returns the exit code. Reports errors.
int WriteBatch(const model::Batch& batch, const codec::Writer& writer,
               const codec::WriteOptions& options, const std::string& path);

}  // namespace flarestack::cli
