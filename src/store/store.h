// SPDX-License-Identifier: Apache-2.0
//
// Where telemetry is stored. One interface for the embedded store and for any other: nothing here
// depends on how or where, and one test suite (store/testing/conformance.h) applies to all of them.
//
// Each signal has an interface of its own; code that needs one signal takes that one.
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
