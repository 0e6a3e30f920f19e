// SPDX-License-Identifier: Apache-2.0
//
// The id of a log record, used to link to other signals: its time and a hash of its content. OTLP
// log records have no id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "model/log.h"
#include "query/scope/profile_scope.h"
#include "query/traces/links.h"
#include "store/store.h"

namespace flarestack::server::api {

// 32 hex digits: 16 of the time, 16 of the hash.
std::string LogId(const model::LogBatch& batch, const model::LogRecord& record);

// Returns the links of the record's span, and of its service around its time. Returns kNotFound if
// no record has this id, kInvalidArgument if it is malformed.
absl::StatusOr<query::Links> LinksOfLog(const query::DataSource& source, std::string_view id,
                                        const query::ReadLimits& limits);

}  // namespace flarestack::server::api
