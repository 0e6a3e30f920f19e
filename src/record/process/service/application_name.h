// SPDX-License-Identifier: Apache-2.0
//
// Finds the name that an application has in the conventions of its language. It says more than the
// name of the script that starts it, which is gunicorn, app.jar or index.js for half of them.
//
//   Python   gunicorn shop.wsgi:app           shop
//   Java     -Dspring.application.name=cart   cart; or Implementation-Title of the jar
//   Node.js  node dist/index.js               "name" of the nearest package.json
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/file/descriptor.h"
#include "record/process/proc/process_list.h"

namespace flarestack::record::agent {

enum class ApplicationRule : uint8_t { kNone, kServed, kSpring, kJarTitle, kPackage };

struct ApplicationName {
  ApplicationRule rule = ApplicationRule::kNone;
  std::string name;  // empty for kNone; from the process, so it may be any bytes
};

// Opens a file as the process sees it, by its absolute path.
using OpenFileOfProcess =
    absl::FunctionRef<absl::StatusOr<base::Descriptor>(const std::string& path)>;

ApplicationName FindApplicationName(const ProcessTexts& texts, OpenFileOfProcess open);

}  // namespace flarestack::record::agent
