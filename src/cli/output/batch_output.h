// SPDX-License-Identifier: Apache-2.0
//
// Profiles into a file of any format that we write, or to standard output.
#pragma once

#include <string>

#include "codec/format/format.h"
#include "model/batch.h"

namespace flarestack::cli {

// By name, or by the extension of the path when `to` is empty. Null after an error was reported.
const codec::Writer* ChooseWriter(const std::string& to, const std::string& out_path);

// Whether a file can be written there, found out without changing what is there. Answers the exit
// code, after an error was reported.
int CheckOutput(const std::string& path);

// Compressed as the path says. Answers the exit code, after an error was reported.
int WriteBatch(const model::Batch& batch, const codec::Writer& writer,
               const codec::WriteOptions& options, const std::string& path);

}  // namespace flarestack::cli
