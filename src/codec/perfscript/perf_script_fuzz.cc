// SPDX-License-Identifier: Apache-2.0
//
// Any bytes are read or rejected, and every batch that was read can be written: each sample type as
// folded stacks.
#include <cstdint>

#include "base/check.h"
#include "codec/folded/folded.h"
#include "codec/perfscript/perf_script_reader.h"
#include "codec/testing/read_write.h"
#include "model/sample_type.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace codec = flarestack::codec;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const codec::Reader& reader = codec::perfscript::kPerfScriptReader;
  static_cast<void>(reader.recognises(bytes));
  const auto batch = codec::testing::ReadOne(reader, bytes);
  if (!batch.ok()) {
    return 0;
  }
  for (const flarestack::model::SampleTypeView& type : flarestack::model::ListSampleTypes(*batch)) {
    codec::WriteOptions options;
    options.sample_type = std::string(type.type) + "/" + std::string(type.unit);
    const auto written = codec::testing::WriteAll(codec::folded::kFoldedWriter, *batch, options);
    FLARE_CHECK(written.ok(), written.status().ToString());
  }
  return 0;
}
