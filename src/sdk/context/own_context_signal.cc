// SPDX-License-Identifier: Apache-2.0
#include "sdk/context/own_context_signal.h"

#include "sdk/context/thread_context.h"
#include "sdk/thread_state.h"

namespace flarestack::sdk {

OwnContext ReadOwnContext() {
  const ThreadContextRecord* const record = t_thread.context;
  if (record == nullptr || record->valid != 1)
    return {};
  OwnContext context = {.trace_id = record->trace_id,
                        .span_id = record->span_id,
                        .labels = {record->labels.data(), record->label_bytes}};
  context.has_span = context.span_id != decltype(context.span_id){};
  return context;
}

}  // namespace flarestack::sdk
