// SPDX-License-Identifier: Apache-2.0
#include "server/otlp_intake.h"

#include "server/store_sink.h"

namespace flarestack::server {

pipeline::OtlpAnswer OtlpIntake::Receive(const Caller& caller, const Message& message) {
  const absl::StatusOr<std::string> name = tenants_.NameFor(caller);
  if (!name.ok())
    return {.status = name.status()};
  StoreSink sink([&] { return tenants_.ForWriting(*name); }, &room_, &counters_);
  pipeline::OtlpReceiver receiver(&sink, &counters_, {});
  return receiver.Receive(message.signal, message.encoding, message.body);
}

}  // namespace flarestack::server
