// SPDX-License-Identifier: Apache-2.0
//
// Decompresses messages ourselves.
//
// With `grpc.per_message_decompression` off, gRPC 1.51 passes a message on as it was sent, and
// hides the header grpc-encoding. Two functions of libgrpc, meant for its own tests, still expose
// the flag of the message and the encoding of the call; for an encoding it does not know, the flag
// is set and the encoding is "none". zstd and Snappy's framed format, which gRPC does not know, are
// recognized by the first bytes of the message. Internal to the gRPC server and client.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "net/http/decompress.h"

struct grpc_call;
namespace grpc {
class ByteBuffer;
}

namespace flarestack::net {

// Empties the buffer. Returns kUnimplemented for an unknown encoding, or an error of Decompress().
// The lease must already cover the bytes as sent, and covers the message afterwards.
absl::StatusOr<std::string> TakeGrpcMessage(grpc_call* call, grpc::ByteBuffer* buffer,
                                            const DecompressLimits& limits, base::ByteLease* lease);

// gRPC aborts the process if it is given a header it cannot send: names must be lower case, and
// values printable ASCII unless the name ends in -bin.
bool IsLegalGrpcMetadata(std::string_view name, std::string_view value);

}  // namespace flarestack::net
