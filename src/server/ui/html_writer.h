// SPDX-License-Identifier: Apache-2.0
//
// The html format: a page with a flame graph per sample type. It is here and not in codec/ because
// it needs the pages embedded in the program.
#pragma once

#include "codec/format/format.h"

namespace flarestack::server {

// write() returns kFailedPrecondition if the program was built without pages.
extern const codec::Writer kHtmlWriter;

// Whether the viewer is embedded in this program.
bool CanWriteHtml();

}  // namespace flarestack::server
