// SPDX-License-Identifier: Apache-2.0
//
// The writer can write everything that the folded reader accepts, and its output is stable when
// read and written again.
#include <cstdint>

#include "base/check.h"
#include "codec/folded/folded.h"
#include "codec/testing/read_write.h"

namespace {

using namespace flarestack::codec;  // NOLINT(google-build-using-namespace): a program of one
                                    // function

std::string RoundTrip(std::string_view text, const char* step) {
  const auto batch = testing::ReadOne(folded::kFoldedReader, text);
  FLARE_CHECK(batch.ok(), step, ": ", batch.status().ToString(), "\n", text);
  const auto written = testing::WriteAll(folded::kFoldedWriter, *batch);
  FLARE_CHECK(written.ok(), step, ": ", written.status().ToString());
  return *written;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(folded::kFoldedReader.recognises(bytes));
  if (!testing::ReadOne(folded::kFoldedReader, bytes).ok()) {
    return 0;
  }
  const std::string once = RoundTrip(bytes, "first");
  const std::string twice = RoundTrip(once, "second");
  FLARE_CHECK(once == twice, "\n", once, "---\n", twice);
  return 0;
}
