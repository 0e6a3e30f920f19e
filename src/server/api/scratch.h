// SPDX-License-Identifier: Apache-2.0
//
// Uploaded files: `scratch=ID` makes a request read an upload instead of the stored data.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "server/api/endpoint.h"
#include "server/tenants/scratch_uploads.h"

namespace flarestack::server::api {

// Returns kNotFound with a hint if there is no such upload, or if `scratch` is null.
absl::StatusOr<std::shared_ptr<const Upload>> FindUpload(const ScratchUploads* scratch,
                                                         const UploadName& name,
                                                         uint64_t now_nanos);

}  // namespace flarestack::server::api
