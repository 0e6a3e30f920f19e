// SPDX-License-Identifier: Apache-2.0
#include "net/grpc/grpc_encoding.h"

#include <grpc/grpc.h>
#include <grpcpp/support/byte_buffer.h>

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "base/compress/compress.h"
#include "base/status.h"
#include "base/text/text.h"

// Exported by libgrpc, but declared in a header that Debian does not ship.
uint32_t grpc_call_test_only_get_message_flags(grpc_call* call);
grpc_compression_algorithm grpc_call_test_only_get_compression_algorithm(grpc_call* call);

namespace flarestack::net {
namespace {

constexpr uint32_t kIsCompressed = 0x80000000;  // GRPC_WRITE_INTERNAL_COMPRESS

// gRPC drops the name of an encoding it does not know. The two that we support beyond gRPC's own
// begin with a magic number.
absl::StatusOr<ContentCoding> CodingOfContent(std::string_view bytes) {
  if (base::LooksLikeZstd(bytes))
    return ContentCoding::kZstd;
  if (base::LooksLikeFramedSnappy(bytes))
    return ContentCoding::kSnappyFramed;
  return absl::UnimplementedError(
      "unsupported message compression; use identity, deflate, gzip, zstd or snappy (framed)");
}

absl::StatusOr<ContentCoding> CodingOf(grpc_call* call, std::string_view bytes) {
  if ((grpc_call_test_only_get_message_flags(call) & kIsCompressed) == 0)
    return ContentCoding::kIdentity;
  switch (grpc_call_test_only_get_compression_algorithm(call)) {
    case GRPC_COMPRESS_GZIP:
      return ContentCoding::kGzip;
    case GRPC_COMPRESS_DEFLATE:
      return ContentCoding::kDeflate;
    default:
      return CodingOfContent(bytes);
  }
}

absl::StatusOr<std::string> Flatten(grpc::ByteBuffer* buffer) {
  std::vector<grpc::Slice> slices;
  if (!buffer->Dump(&slices).ok())
    return absl::InternalError("gRPC returned an unreadable message");
  std::string bytes;
  bytes.reserve(buffer->Length());
  for (const grpc::Slice& slice : slices)
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  buffer->Clear();
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> TakeGrpcMessage(grpc_call* call, grpc::ByteBuffer* buffer,
                                            const DecompressLimits& limits,
                                            base::ByteLease* lease) {
  FLARE_ASSIGN(std::string bytes, Flatten(buffer));
  if (bytes.empty())  // golang/snappy compresses an empty message to nothing
    return bytes;
  FLARE_ASSIGN(const ContentCoding coding, CodingOf(call, bytes));
  if (coding == ContentCoding::kIdentity)
    return bytes;
  FLARE_ASSIGN(std::string message, Decompress(coding, bytes, limits, lease));
  lease->ShrinkTo(message.size());
  return message;
}

bool IsLegalGrpcMetadata(std::string_view name, std::string_view value) {
  const auto is_name_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (name.empty() || name.starts_with("grpc-") ||
      !std::all_of(name.begin(), name.end(), is_name_character)) {
    return false;
  }
  return name.ends_with("-bin") || std::all_of(value.begin(), value.end(), is_printable);
}

}  // namespace flarestack::net
