// SPDX-License-Identifier: Apache-2.0
#include "cli/input/api_response.h"

#include "base/status.h"
#include "base/text/text.h"
#include "cli/output/query_table.h"

namespace flarestack::cli {
namespace {

constexpr uint64_t kResponseBytesMax = uint64_t{256} << 20;

}  // namespace

absl::StatusOr<Json> GetJson(const ApiClient& client, const ApiRequest& request) {
  FLARE_ASSIGN(const net::HttpResponse response, client.Get(request, kResponseBytesMax));
  Json json = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return absl::UnavailableError("the response is not from a flarestack server");
  return json;
}

std::string MissingOf(const Json& answer) {
  const Json& meta = At(answer, "meta");
  if (!IsTrue(At(meta, "partial")))
    return "";
  const std::string missing = TextOf(At(meta, "missing"));
  return missing.empty() ? "the server gave no reason" : missing;
}

Emptiness EmptinessOf(const Json& answer, std::string_view flag_prefix) {
  const Json& empty = At(answer, "empty");
  Emptiness result = {.reason = TextOf(At(empty, "reason"))};
  if (const int64_t nearest = IntOf(At(empty, "nearest")); nearest != 0)
    result.next = base::StrCat(flag_prefix, "from ", TimeText(nearest), ", where there is data");
  if (const Json& types = At(empty, "types"); !types.empty())
    result.next = base::StrCat(flag_prefix, "type with one of ", Joined(types));
  return result;
}

}  // namespace flarestack::cli
