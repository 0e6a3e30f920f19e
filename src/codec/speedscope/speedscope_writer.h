// SPDX-License-Identifier: Apache-2.0
//
// Writes the JSON format of speedscope: one "sampled" profile per sample type (or the requested
// one), with each stack once and its total weight. The format has no timestamps, attributes or
// links. Units that speedscope does not support become "none"; a stack with negative weight is
// dropped with a warning, because speedscope rejects it.
#pragma once

#include "codec/format/format.h"

namespace flarestack::codec::speedscope {

extern const Writer kSpeedscopeWriter;

}  // namespace flarestack::codec::speedscope
