// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a server response: a decoded response means the same after it is encoded and decoded
// again. Encoding repairs text, so the second and third decoding are compared.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/status.h"
#include "codec/otlp/export_response.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {
namespace {

void CheckStatus(std::string_view bytes, Encoding encoding) {
  const auto status = DecodeRpcStatus(bytes, encoding);
  if (!status.ok())
    return;
  for (const Encoding other : {Encoding::kProtobuf, Encoding::kJson}) {
    const auto second = DecodeRpcStatus(EncodeRpcStatus(*status, other), other);
    FLARE_CHECK(second.ok(), base::Message(second.status()));
    const auto third = DecodeRpcStatus(EncodeRpcStatus(*second, encoding), encoding);
    FLARE_CHECK(third.ok() && *third == *second);
  }
}

void CheckResponse(std::string_view bytes, Encoding encoding) {
  const auto partial = DecodeExportResponse(model::Signal::kTraces, bytes, encoding);
  if (!partial.ok())
    return;
  for (const Encoding other : {Encoding::kProtobuf, Encoding::kJson}) {
    const auto second =
        DecodeExportResponse(model::Signal::kTraces,
                             EncodeExportResponse(model::Signal::kTraces, *partial, other), other);
    FLARE_CHECK(second.ok(), base::Message(second.status()));
    const auto third = DecodeExportResponse(
        model::Signal::kTraces, EncodeExportResponse(model::Signal::kTraces, *second, encoding),
        encoding);
    FLARE_CHECK(third.ok() && *third == *second);
  }
}

}  // namespace
}  // namespace flarestack::codec::otlp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace otlp = flarestack::codec::otlp;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto encoding = bytes.starts_with('{') ? otlp::Encoding::kJson : otlp::Encoding::kProtobuf;
  otlp::CheckStatus(bytes, encoding);
  otlp::CheckResponse(bytes, encoding);
  return 0;
}
