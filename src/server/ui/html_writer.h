// SPDX-License-Identifier: Apache-2.0
//
// The format html: a page with a flame graph of each sample type. It stands here and not in codec/
// because it is made of the pages that are embedded in the program.
#pragma once

#include "codec/format/format.h"

namespace flarestack::server {

// Its write() answers kFailedPrecondition in a program without pages.
extern const codec::Writer kHtmlWriter;

// Whether this program has the viewer that such a page is made of.
bool CanWriteHtml();

}  // namespace flarestack::server
