// SPDX-License-Identifier: Apache-2.0
//
// Writes the JSON that speedscope opens: one "sampled" profile per sample type (or the one asked
// for), in which each stack stands once with its whole weight. Timestamps, attributes and links
// have no place there. Units that speedscope does not know become "none"; a stack whose weight is
// negative is left out with a warning, for speedscope refuses it.
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::speedscope {

extern const Writer kSpeedscopeWriter;

}  // namespace flarestack::codec::speedscope
