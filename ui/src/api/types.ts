// SPDX-License-Identifier: Apache-2.0
//
// Responses of the API. Generated from docs/reference/openapi.json by `npm run types:api`: do not edit.
import type { Answered } from "./client";

// nanoseconds since the epoch, as text
export type Time = string;

// attributes by key; values as OTLP has them
export type AttributeMap = Readonly<Record<string, unknown>>;

export interface Meta {
  readonly watermark: number; // changes when data is stored
  readonly partial: boolean; // the response is not complete
  readonly scanned: {
    readonly parts: number;
    readonly samples: number;
  };
  readonly took_ms: number;
  readonly request_id: string;
  readonly missing?: string; // what a partial response lacks, and what to do
}

// why a response has no data
export interface Empty {
  readonly reason: string;
  readonly matcher?: string; // the part of the selector that excludes all data
  readonly step?: string; // the filter step that removes all samples
  readonly types?: readonly string[]; // the profile types that are stored
  readonly excluded_by?: readonly string[]; // conditions that exclude all data
  readonly nearest?: Time | null; // nearest time with data
}

export interface FlameFrame {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly module?: string; // the binary
  readonly type?: string; // kind of frame, such as native or kernel
  readonly flags?: readonly ("inlined" | "unsymbolised" | "folded")[];
}

// nodes in preorder, one array per property
export interface FlameNodes {
  readonly depth: readonly number[];
  readonly frame: readonly number[]; // positions in `frames`
  readonly self: readonly (readonly number[])[]; // one column; of a comparison before and after
  readonly folded: Readonly<Record<string, number>>; // by node: number of nodes folded into it
  readonly probability?: readonly number[]; // of a comparison, by node
}

export interface Flame extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly total: number;
  readonly unfiltered: number; // the total without filter steps
  readonly path: readonly string[]; // functions above the root, outermost first
  readonly frames: readonly FlameFrame[];
  readonly nodes: FlameNodes;
}

export interface SearchRow {
  readonly function: string;
  readonly path: string; // hash of the call path
  readonly depth: number;
  readonly total: number;
}

export interface SearchResult extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly total: number;
  readonly matched: number; // cost of the stacks with a matching frame
  readonly call_paths: number; // how many call paths end in a match
  readonly rows: readonly SearchRow[]; // largest first
}

export interface TopRow {
  readonly function: string;
  readonly file: string; // may be empty
  readonly line: number; // 0: unknown
  readonly module: string; // may be empty
  readonly self: number;
  readonly total: number;
}

export interface Top extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly total: number;
  readonly rows: readonly TopRow[];
}

export interface Edge {
  readonly function: string;
  readonly value: number;
}

export interface CallersRow {
  readonly function: string;
  readonly self: number;
  readonly total: number;
  readonly callers: readonly Edge[];
  readonly callees: readonly Edge[];
}

export interface Callers extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly total: number;
  readonly rows: readonly CallersRow[];
}

export interface LineRow {
  readonly function: string;
  readonly file: string; // may be empty
  readonly line: number; // 0: unknown
  readonly self: number;
  readonly total: number;
  readonly start_line?: number; // first line of the function
  readonly build_id?: string; // GNU build id of the program
}

export interface Lines extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly total: number;
  readonly rows: readonly LineRow[];
}

export interface SourceAnswer extends Answered {
  readonly file: string;
  readonly found: boolean;
  readonly from?: string; // "folder", or the URL it comes from
  readonly first_line?: number; // number of the first of `lines`
  readonly line_count?: number; // of the whole file
  readonly lines?: readonly string[];
  readonly reason?: string; // why it was not found
  readonly url?: string; // the line in its repository
}

export interface SeriesLine {
  readonly labels: Readonly<Record<string, string>>;
  readonly rest: boolean; // sum of the lines that are not listed
  readonly total: number;
  readonly values: readonly number[]; // one per step
}

export interface Series extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly gauge: boolean; // values are averages
  readonly from: Time;
  readonly step_ns: number;
  readonly observed_ns: number; // how much of the range has data
  readonly line_count: number;
  readonly lines: readonly SeriesLine[]; // largest first
}

export interface Heat extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly from: Time;
  readonly cell_ns: number;
  readonly scale: number; // a value is cells[i] * scale
  readonly largest: number;
  readonly cells: readonly number[];
  readonly has_sample_times: boolean; // false: times are those of profiles
}

export interface Samples extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly begin: Time;
  readonly lanes: readonly string[];
  readonly functions: readonly string[];
  readonly function_types: readonly string[]; // kind of frame, by function
  readonly function_modules: readonly string[]; // binary, by function
  readonly stacks: readonly (readonly number[])[]; // positions in `functions`, root first
  readonly events: {
    readonly time: readonly number[]; // nanoseconds from `begin`
    readonly value: readonly number[];
    readonly lane: readonly number[]; // positions in `lanes`
    readonly stack: readonly number[]; // positions in `stacks`
  };
  readonly event_count: number;
  readonly timeless_count: number; // events that have the time of their profile
  readonly next: Time | null; // `from` of the next page
}

export interface ProfileRow {
  readonly profile_id: string;
  readonly time: Time;
  readonly duration_ns: number;
  readonly type: string;
  readonly unit: string;
  readonly samples: number;
  readonly total: number;
  readonly resource: Readonly<Record<string, string>>;
}

export interface Profiles extends Answered {
  readonly profile_count: number;
  readonly profiles: readonly ProfileRow[]; // latest first
}

export interface Version {
  readonly version: string;
  readonly instances: number;
  readonly last_seen: Time;
}

export interface Service {
  readonly service: string;
  readonly namespace: string;
  readonly types: readonly string[]; // NAME:UNIT
  readonly versions: readonly Version[];
  readonly named_by: readonly string[]; // rules that named it; empty: the sender
  readonly instances: number;
  readonly series: number;
  readonly last_seen: Time;
}

export interface Services extends Answered {
  readonly services: readonly Service[];
}

export interface AttributeKey {
  readonly key: string;
  readonly level: "resource" | "sample";
  readonly value_count: number;
  readonly values: readonly string[]; // some of them
}

export interface AttributeKeys extends Answered {
  readonly keys: readonly AttributeKey[];
}

export interface AttributeValues extends Answered {
  readonly key: string;
  readonly value_count: number;
  readonly values: readonly string[];
}

export interface Breakdown extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly total: number;
  readonly key: string;
  readonly rows: readonly {
    readonly value: string;
    readonly missing: boolean; // samples without the attribute
    readonly total: number;
  }[];
  readonly other: {
    readonly count: number; // values that are not listed
    readonly total: number;
  };
}

export interface DiffSide {
  readonly total: number;
  readonly events: number;
  readonly seconds: number; // observed time
  readonly instances: number;
}

export interface DiffRow {
  readonly function: string;
  readonly before: number; // total, as measured
  readonly after: number;
  readonly self_before: number;
  readonly self_after: number;
  readonly delta: number; // of the totals, normalized
  readonly self_delta: number; // normalized
  readonly probability: number; // p-value
  readonly significant: boolean;
  readonly ratio: number | null; // after to before; null: new
}

export interface Diff extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly norm: "share" | "rate" | "request" | "none";
  readonly before: DiffSide;
  readonly after: DiffSide;
  readonly scale: number; // factor applied to values of `after`
  readonly total_delta: number; // normalized
  readonly total_probability: number;
  readonly total_significant: boolean;
  readonly total_ratio: number | null;
  readonly unbalanced: boolean; // one side has over four times the events of the other
  readonly noise_test: "bootstrap" | "optimistic";
  readonly explain: readonly {
    readonly path: readonly string[]; // functions, root first
    readonly before: number;
    readonly after: number;
    readonly delta: number;
    readonly part: number; // share of the whole change
  }[];
  readonly rows: readonly DiffRow[]; // largest difference first
  readonly row_count: number; // with the rows beyond `limit`
  readonly path: readonly string[];
  readonly frames: readonly FlameFrame[];
  readonly nodes: FlameNodes;
}

export interface Deployment {
  readonly version: string;
  readonly first_seen: Time;
  readonly last_seen: Time;
  readonly total: number;
}

export interface Deployments extends Answered {
  readonly step_ns: number; // resolution of the times
  readonly versions: readonly Deployment[]; // in order of first appearance
}

export interface RegressionRow {
  readonly function: string;
  readonly before: number;
  readonly after: number;
  readonly delta: number; // normalized
  readonly self_delta: number; // normalized
  readonly probability: number;
  readonly ratio: number | null;
}

export interface Regressions extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly norm: "request" | "share";
  readonly before: Deployment;
  readonly after: Deployment;
  readonly requests_before: number; // 0: no server spans are stored
  readonly requests_after: number;
  readonly total_delta: number;
  readonly noise_test: "bootstrap" | "optimistic";
  readonly rows: readonly RegressionRow[];
}

export interface TraceRow {
  readonly trace_id: string;
  readonly root: {
    readonly service: string;
    readonly name: string;
    readonly start: Time;
    readonly duration: number; // nanoseconds
    readonly status: string;
    readonly is_orphan: boolean; // its parent is missing
  };
  readonly spans: number;
  readonly errors: number;
  readonly services: readonly string[];
  readonly longest_match: number; // nanoseconds
  readonly matches: readonly string[]; // ids of some matching spans
}

export interface Traces extends Answered {
  readonly traces: readonly TraceRow[];
  readonly has_more: boolean;
  readonly next: Time | null; // `to` of the next page
}

export interface Trace extends Answered {
  readonly trace_id: string;
  readonly start: Time;
  readonly duration: number; // nanoseconds
  readonly root: number; // position of a span
  readonly spans: {
    readonly span_id: readonly string[];
    readonly parent: readonly number[]; // positions of spans; -1: none
    readonly parent_is: readonly ("none" | "found" | "missing" | "cut")[];
    readonly service: readonly number[]; // positions in `services`
    readonly resource: readonly number[]; // positions in `resources`
    readonly name: readonly number[]; // positions in `names`
    readonly start: readonly number[]; // nanoseconds from the start of the trace
    readonly duration: readonly number[]; // nanoseconds
    readonly self: readonly number[]; // nanoseconds that no child covers
    readonly kind: readonly string[];
    readonly status: readonly string[];
    readonly status_message: readonly string[];
    readonly is_on_critical_path: readonly boolean[];
    readonly attributes: readonly AttributeMap[];
    readonly events: readonly (readonly {
      readonly time: number; // nanoseconds from the start of the trace
      readonly name: string;
      readonly attributes: AttributeMap;
    }[])[];
    readonly links: readonly (readonly {
      readonly trace_id: string;
      readonly span_id: string;
      readonly attributes: AttributeMap;
    }[])[];
  }; // one array per property, in tree order
  readonly names: readonly string[];
  readonly services: readonly string[];
  readonly resources: readonly {
    readonly attributes: AttributeMap;
  }[];
  readonly critical_path: readonly {
    readonly span: number;
    readonly from: number;
    readonly to: number;
  }[];
  readonly logs: readonly {
    readonly span: number; // -1: a span that is not listed
    readonly count: number;
    readonly first: readonly {
      readonly time: number;
      readonly severity: number;
      readonly body: string;
    }[];
  }[];
  readonly samples: readonly {
    readonly span: number; // -1: a span that is not listed
    readonly span_id: string;
    readonly types: readonly {
      readonly type: string;
      readonly unit: string;
      readonly count: number;
      readonly sum: number;
    }[];
  }[];
}

// with format=otlp: ExportTraceServiceRequest of OTLP/JSON
export interface OtlpTraces {
  readonly resourceSpans?: readonly unknown[];
}

export interface Link {
  readonly to: "trace" | "profile" | "logs" | "metric" | "diff";
  readonly what: string;
  readonly quality: "exact" | "inferred";
  readonly count: number;
  readonly is_capped: boolean; // there are more than `count`
  readonly url: string; // the request that returns the other end
}

export interface Links extends Answered {
  readonly links: readonly Link[];
  readonly cost?: {
    readonly quality: "exact" | "inferred";
    readonly duration_ns: number;
    readonly on_cpu_ns: number;
    readonly off_cpu_ns: number;
    readonly unaccounted_ns: number;
  }; // time breakdown of a span
}

export interface LogRecord {
  readonly id: string;
  readonly time: Time;
  readonly severity: number; // 1 to 24, as in OTLP; 0: none
  readonly severity_text: string;
  readonly service: string;
  readonly body: unknown;
  readonly attributes: AttributeMap;
  readonly trace_id: string; // may be empty
  readonly span_id: string; // may be empty
  readonly event_name?: string;
}

export interface Logs extends Answered {
  readonly records: readonly LogRecord[];
  readonly next: string | null; // `cursor` of the next page
}

// with format=otlp: ExportLogsServiceRequest of OTLP/JSON
export interface OtlpLogs {
  readonly resourceLogs?: readonly unknown[];
}

export interface FacetCounts {
  readonly values: readonly {
    readonly value: string;
    readonly count: number;
  }[];
  readonly other: number; // records with a value that is not listed
}

export interface LogVolume extends Answered {
  readonly start: Time;
  readonly step: number; // nanoseconds
  readonly count: number;
  readonly lines: readonly {
    readonly severity: "none" | "trace" | "debug" | "info" | "warn" | "error" | "fatal";
    readonly values: readonly number[]; // one per step
  }[];
  readonly facets?: {
    readonly services: FacetCounts;
    readonly severities: FacetCounts;
    readonly patterns: FacetCounts;
  };
}

export interface Metric {
  readonly name: string;
  readonly type: "none" | "gauge" | "sum" | "histogram" | "exponential_histogram" | "summary";
  readonly unit: string;
  readonly description: string;
  readonly is_monotonic: boolean;
  readonly series: number;
  readonly services: readonly string[];
  readonly attributes: readonly string[]; // keys that points have
}

export interface Metrics extends Answered {
  readonly metrics: readonly Metric[];
}

export interface Exemplar {
  readonly time: Time;
  readonly value: number | null; // null: not finite
  readonly trace_id: string;
  readonly span_id: string;
}

export interface MetricLine {
  readonly key: Readonly<Record<string, string>>; // the attributes that the lines are grouped by
  readonly is_other: boolean; // sum of the lines that are not listed
  readonly groups: number;
  readonly series: number;
  readonly interval: number; // nanoseconds between points; 0: unknown
  readonly values: readonly (number | null)[]; // one per step; null: unknown
  readonly exemplars: readonly Exemplar[];
}

export interface MetricLines extends Answered {
  readonly name: string;
  readonly type: "none" | "gauge" | "sum" | "histogram" | "exponential_histogram" | "summary";
  readonly unit: string;
  readonly description: string;
  readonly is_monotonic: boolean;
  readonly agg: string;
  readonly is_rate: boolean; // values are per second
  readonly start: Time;
  readonly step: number; // nanoseconds
  readonly lines: readonly MetricLine[]; // largest first
}

export interface Scratch extends Answered {
  readonly id: string;
  readonly name: string; // of the file; may be empty
  readonly expires: Time;
  readonly format: string;
  readonly samples: number;
  readonly from: Time;
  readonly to: Time;
  readonly types: readonly string[]; // NAME:UNIT
  readonly default_type: string;
  readonly services: readonly string[];
  readonly disk_bytes: number;
  readonly warnings: readonly string[];
}

export interface Removed extends Answered {
  readonly id: string;
  readonly removed: boolean;
}

export interface ShortLink extends Answered {
  readonly id: string;
  readonly url: string; // path of the short link
  readonly target: string; // path and query of its target
}

export interface Ingested {
  readonly requests: number;
  readonly failed: number;
  readonly items: number;
  readonly rejected: number;
  readonly bytes: number;
  readonly last_seen: Time | null; // null: nothing received yet
}

export interface Health extends Answered {
  readonly status: "ok" | "warning" | "error";
  readonly problems: readonly {
    readonly severity: "info" | "warning" | "error";
    readonly code: string;
    readonly message: string;
    readonly advice: string;
  }[]; // worst first
  readonly version: string;
  readonly started: Time;
  readonly uptime_seconds: number;
  readonly ingest: Readonly<Record<string, Ingested>>; // by signal
  readonly drops: readonly {
    readonly what: string;
    readonly signal: string; // may be empty
    readonly port: string; // may be empty
    readonly reason: string;
    readonly count: number;
  }[];
  readonly senders: readonly {
    readonly host: string;
    readonly service: string;
    readonly requests: number;
    readonly failed: number;
    readonly bytes: number;
    readonly last_seen: Time | null;
    readonly last_error: string; // may be empty
  }[];
  readonly senders_forgotten: number;
  readonly store: {
    readonly state: "open" | "full" | "unavailable";
    readonly disk_bytes: number;
    readonly disk_limit_bytes: number; // 0: none
    readonly memory_bytes: number;
    readonly waiting_bytes: number; // not merged yet
    readonly series: number;
    readonly series_limit: number;
    readonly stacks: number;
    readonly oldest: Time | null;
    readonly newest: Time | null;
    readonly signals: Readonly<
      Record<
        string,
        {
          readonly oldest: Time | null;
          readonly newest: Time | null;
        }
      >
    >;
    readonly reopened: number;
    readonly reopen_failed: number;
  };
  readonly scratch: {
    readonly uploads: number;
    readonly disk_bytes: number;
    readonly disk_limit_bytes: number;
  };
  readonly memory: {
    readonly resident_bytes: number;
    readonly limit_bytes: number;
    readonly requests_bytes: number; // used by requests now
    readonly requests_bytes_max: number; // the most so far
    readonly requests_bytes_limit: number;
  };
  readonly listening: {
    readonly scheme: "http" | "https";
    readonly otlp_grpc_port: number; // 0: not yet
    readonly otlp_http_port: number; // 0: not yet
  };
}

export interface GuideStep {
  readonly title: string;
  readonly text: string;
  readonly path: string; // address of a page; may be empty
}

export interface Guide extends Answered {
  readonly title: string;
  readonly steps: readonly GuideStep[];
}

export interface SymbolHealthModule {
  readonly module: string;
  readonly key: string; // build id; may be empty
  readonly build_ids: readonly string[];
  readonly total: number; // cost of stacks with such a frame
  readonly self: number;
  readonly share: number;
  readonly self_share: number;
  readonly addresses: number;
  readonly state: "unknown" | "waiting" | "ready" | "missing" | "failed";
  readonly reason: string;
  readonly fix: string;
}

export interface SymbolHealth extends Answered {
  readonly type: string;
  readonly total: number;
  readonly nameless: number; // cost of stacks without symbols
  readonly share: number;
  readonly modules: readonly SymbolHealthModule[];
  readonly module_count: number;
}

export interface SymbolFile {
  readonly id: string;
  readonly kind: "executable" | "debuginfo";
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly time: Time; // of the upload
  readonly build_ids: Readonly<Record<string, string>>; // by kind: gnu, go, htlhash
}

export interface SymbolFiles extends Answered {
  readonly files: readonly SymbolFile[];
}

export interface SymbolModule extends Answered {
  readonly id: string;
  readonly state: "unknown" | "waiting" | "ready" | "missing" | "failed";
  readonly module: string;
  readonly functions: number;
  readonly table_bytes: number;
  readonly attempts: readonly {
    readonly source: string;
    readonly outcome: string;
    readonly found: boolean;
  }[]; // lookups, in order
  readonly files: readonly SymbolFile[];
}

export interface SymbolUpload extends Answered {
  readonly id: string;
  readonly received: number;
  readonly total: number;
  readonly done: boolean; // true: also has the fields of SymbolFile
  readonly kind?: "executable" | "debuginfo";
  readonly name?: string;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly time?: Time;
  readonly build_ids?: Readonly<Record<string, string>>;
}
