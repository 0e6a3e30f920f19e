// SPDX-License-Identifier: Apache-2.0
//
// Files that are uploaded to be looked at: `scratch=ID` makes them what a question is about.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "server/api/endpoint.h"
#include "server/tenants/scratch_uploads.h"

namespace flarestack::server::api {

// kNotFound, with a hint, for one that is not there. `scratch` may be null: then none is.
absl::StatusOr<std::shared_ptr<const Upload>> FindUpload(const ScratchUploads* scratch,
                                                         const UploadName& name,
                                                         uint64_t now_nanos);

}  // namespace flarestack::server::api
