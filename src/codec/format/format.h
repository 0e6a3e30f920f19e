// SPDX-License-Identifier: Apache-2.0
//
// A profile format: a reader that turns bytes into batches, a writer that turns a batch into bytes,
// or both. The registry (codec/registry.h) is a table of these.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/warnings.h"
#include "model/batch.h"

namespace flarestack::codec {

struct ReadOptions {
  base::Warnings* warnings = nullptr;  // never null in a call
};

// Called once per message of the input, in order. An error stops the reader, which returns it.
using EmitBatch = absl::FunctionRef<absl::Status(model::Batch)>;

struct Reader {
  std::string_view name;     // "pprof"
  std::string_view summary;  // one line for help

  // Whether these bytes, already decompressed, can be in this format. Looks only at a bounded part
  // of the content. Readers are tried in the order of the table, so unreliable detectors come after
  // reliable ones.
  bool (*recognises)(std::string_view bytes);

  // Whether emitted batches own copies of all text, so that the bytes may be freed before the
  // batch.
  bool batches_own_text = true;

  // Returns kInvalidArgument with a byte offset, line number or message path if the bytes are
  // malformed. Unless batches own their text, they point into `bytes`. All indices of an emitted
  // batch are valid.
  absl::Status (*read)(std::string_view bytes, const ReadOptions& options, EmitBatch emit);
};

struct WriteOptions {
  // The sample type for formats that store only one: "cpu", or "cpu/nanoseconds" if two share a
  // name. Empty selects the first.
  std::string sample_type;
  std::string title;       // shown by formats that have a title; may be empty
  bool aggregate = false;  // drop timestamps and sum samples that differ only in them
  // Write only native fields of the format, and only data that samples refer to. By default, pprof
  // also stores everything needed to read the batch back unchanged.
  bool plain = false;
  bool compresses_quickly = false;     // half the time, slightly larger; for formats that compress
  base::Warnings* warnings = nullptr;  // never null in a call
};

// Receives the output in pieces, in order.
using WriteBytes = absl::FunctionRef<absl::Status(std::string_view)>;

struct Writer {
  std::string_view name;
  std::string_view summary;
  std::span<const std::string_view> extensions;  // with the dot: ".pb.gz"
  bool holds_one_sample_type = false;
  bool takes_sample_type = true;   // uses options.sample_type
  bool takes_aggregate = false;    // uses options.aggregate
  bool holds_events = false;       // stores each event with its time, not one value per stack
  bool is_binary = false;          // must not be printed to a terminal
  bool compresses_itself = false;  // do not compress the output again

  // Returns kNotFound if options.sample_type is not a sample type of the batch; the message lists
  // the available types.
  absl::Status (*write)(const model::Batch& batch, const WriteOptions& options, WriteBytes write);
};

}  // namespace flarestack::codec
