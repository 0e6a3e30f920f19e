// SPDX-License-Identifier: Apache-2.0
//
// The interface to stored telemetry. It is independent of the storage engine, so other engines can
// replace the embedded one; store/testing/conformance.h is the test suite of all of them.
//
// Each signal has its own interface; code that needs one signal uses only that one.
// All functions are thread-safe.
#pragma once

#include "store/log_store.h"
#include "store/metric_store.h"
#include "store/note_store.h"
#include "store/profile_store.h"
#include "store/store_admin.h"
#include "store/trace_store.h"

namespace flarestack::store {

class Store : public ProfileStore,
              public TraceStore,
              public LogStore,
              public MetricStore,
              public NoteStore,
              public StoreAdmin {};

}  // namespace flarestack::store
