// SPDX-License-Identifier: Apache-2.0
//
// Answers of the API as docs/reference/api*.md describes them; only what the pages use. Points in time are text:
// nanoseconds since the epoch.
import type { Answered } from "./client";

export interface Version {
  readonly version: string;
  readonly instances: number;
  readonly last_seen: string;
}

export interface Service {
  readonly service: string;
  readonly namespace: string;
  readonly types: readonly string[];
  readonly versions: readonly Version[];
  readonly named_by: readonly string[];
  readonly instances: number;
  readonly series: number;
  readonly last_seen: string;
}

export interface Services extends Answered {
  readonly services: readonly Service[];
}

export interface SeriesLine {
  readonly labels: Readonly<Record<string, string>>;
  readonly rest: boolean;
  readonly total: number;
  readonly values: readonly number[];
}

export interface Series extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly gauge: boolean;
  readonly from: string;
  readonly step_ns: number;
  readonly observed_ns: number;
  readonly line_count: number;
  readonly lines: readonly SeriesLine[];
}

export interface TopRow {
  readonly function: string;
  readonly file?: string;
  readonly line?: number;
  readonly module?: string;
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
  readonly unit: string;
  readonly total: number;
  readonly rows: readonly CallersRow[];
}

export interface LineRow extends TopRow {
  readonly start_line?: number; // of the function
  readonly build_id?: string; // of a program that has it
}

export interface Lines extends Answered {
  readonly unit: string;
  readonly total: number;
  readonly rows: readonly LineRow[];
}

export interface SourceAnswer extends Answered {
  readonly file: string;
  readonly found: boolean;
  readonly from?: string; // "folder", or the URL it comes from
  readonly first_line?: number;
  readonly line_count?: number;
  readonly lines?: readonly string[];
  readonly reason?: string; // why it was not found
  readonly url?: string; // of the line in its repository
}

export interface Deployment {
  readonly version: string;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly total: number;
}

export interface Deployments extends Answered {
  readonly versions: readonly Deployment[];
}

export interface DiffRow {
  readonly function: string;
  readonly before: number;
  readonly after: number;
  readonly self_before?: number;
  readonly self_after?: number;
  readonly delta: number;
  readonly self_delta: number;
  readonly probability: number;
  readonly significant?: boolean;
  readonly ratio: number | null;
}

export interface Regressions extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly norm: string;
  readonly before?: Deployment;
  readonly after?: Deployment;
  readonly requests_before?: number;
  readonly requests_after?: number;
  readonly total_delta: number;
  readonly noise_test: string;
  readonly rows: readonly DiffRow[];
}

export interface DiffSide {
  readonly total: number;
  readonly events: number;
  readonly seconds: number;
  readonly instances: number;
}

export interface Diff extends Answered {
  readonly type: string;
  readonly unit: string;
  readonly norm: string;
  readonly before: DiffSide;
  readonly after: DiffSide;
  readonly scale: number;
  readonly total_delta: number;
  readonly total_probability: number;
  readonly total_significant: boolean;
  readonly total_ratio: number | null;
  readonly unbalanced: boolean;
  readonly noise_test: string;
  readonly explain: readonly {
    readonly path: readonly string[];
    readonly before: number;
    readonly after: number;
    readonly delta: number;
    readonly part: number;
  }[];
  readonly rows: readonly DiffRow[];
  readonly row_count: number;
}

export interface Heat extends Answered {
  readonly unit: string;
  readonly from: string;
  readonly cell_ns: number;
  readonly scale: number;
  readonly largest: number;
  readonly cells: readonly number[];
  readonly has_sample_times: boolean;
}

export interface ProfileRow {
  readonly profile_id: string;
  readonly time: string;
  readonly duration_ns: number;
  readonly type: string;
  readonly unit: string;
  readonly samples: number;
  readonly total: number;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Profiles extends Answered {
  readonly profile_count: number;
  readonly profiles: readonly ProfileRow[];
}

export interface AttributeKey {
  readonly key: string;
  readonly level: "resource" | "sample";
  readonly value_count: number;
  readonly values: readonly string[];
}

export interface AttributeKeys extends Answered {
  readonly keys: readonly AttributeKey[];
}

export interface AttributeValues extends Answered {
  readonly key: string;
  readonly value_count: number;
  readonly values: readonly string[];
}

export interface TraceRow {
  readonly trace_id: string;
  readonly root: {
    readonly service: string;
    readonly name: string;
    readonly start: string;
    readonly duration: number;
    readonly status: string;
    readonly is_orphan: boolean;
  };
  readonly spans: number;
  readonly errors: number;
  readonly services: readonly string[];
  readonly longest_match: number;
  readonly matches: readonly string[];
}

export interface Traces extends Answered {
  readonly traces: readonly TraceRow[];
  readonly has_more: boolean;
  readonly next: string | null; // `to` of the next page
}

export type AttributeMap = Readonly<Record<string, unknown>>;

export interface Trace extends Answered {
  readonly trace_id: string;
  readonly start: string;
  readonly duration: number;
  readonly root: number;
  readonly spans: {
    readonly span_id: readonly string[];
    readonly parent: readonly number[];
    readonly parent_is: readonly string[];
    readonly service: readonly number[];
    readonly resource: readonly number[];
    readonly name: readonly number[];
    readonly start: readonly number[];
    readonly duration: readonly number[];
    readonly self: readonly number[];
    readonly kind: readonly string[];
    readonly status: readonly string[];
    readonly status_message: readonly string[];
    readonly is_on_critical_path: readonly boolean[];
    readonly attributes: readonly AttributeMap[];
    readonly events: readonly (readonly {
      readonly time: number;
      readonly name: string;
      readonly attributes: AttributeMap;
    }[])[];
  };
  readonly names: readonly string[];
  readonly services: readonly string[];
  readonly resources: readonly { readonly attributes: AttributeMap }[];
  readonly critical_path: readonly { readonly span: number; readonly from: number; readonly to: number }[];
  readonly logs: readonly {
    readonly span: number;
    readonly count: number;
    readonly first: readonly { readonly time: number; readonly severity: number; readonly body: unknown }[];
  }[];
  readonly samples: readonly {
    readonly span: number;
    readonly span_id: string;
    readonly types: readonly {
      readonly type: string;
      readonly unit: string;
      readonly count: number;
      readonly sum: number;
    }[];
  }[];
}

export interface Link {
  readonly to: "trace" | "profile" | "logs" | "metric" | "diff";
  readonly what: string;
  readonly quality: "exact" | "inferred";
  readonly count: number;
  readonly is_capped: boolean; // there are more
  readonly url: string;
}

export interface Links extends Answered {
  readonly links: readonly Link[];
  readonly cost?: {
    readonly quality: string;
    readonly duration_ns: number;
    readonly on_cpu_ns: number;
    readonly off_cpu_ns: number;
    readonly unaccounted_ns: number;
  };
}

export interface LogRecord {
  readonly time: string;
  readonly severity: number;
  readonly severity_text: string;
  readonly service: string;
  readonly body: unknown;
  readonly attributes: AttributeMap;
  readonly trace_id?: string;
  readonly span_id?: string;
}

export interface Logs extends Answered {
  readonly records: readonly LogRecord[];
  readonly next: string | null;
}

export interface FacetCounts {
  readonly values: readonly { readonly value: string; readonly count: number }[];
  readonly other: number; // records with a value that is not listed
}

export interface LogVolume extends Answered {
  readonly start: string;
  readonly step: number;
  readonly count: number;
  readonly lines: readonly { readonly severity: string; readonly values: readonly number[] }[];
  readonly facets?: {
    readonly services: FacetCounts;
    readonly severities: FacetCounts;
    readonly patterns: FacetCounts;
  };
}

export interface Metric {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly description: string;
  readonly is_monotonic: boolean;
  readonly series: number;
  readonly services: readonly string[];
  readonly attributes: readonly string[];
}

export interface Metrics extends Answered {
  readonly metrics: readonly Metric[];
}

export interface Exemplar {
  readonly time: string;
  readonly value: number;
  readonly trace_id: string;
  readonly span_id: string;
}

export interface MetricLines extends Answered {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly agg: string;
  readonly is_rate: boolean;
  readonly start: string;
  readonly step: number;
  readonly lines: readonly {
    readonly key: Readonly<Record<string, string>>;
    readonly is_other: boolean;
    readonly interval: number;
    readonly values: readonly (number | null)[];
    readonly exemplars: readonly Exemplar[];
  }[];
}

export interface SearchRow {
  readonly function: string;
  readonly path: string; // hash of the call path
  readonly depth: number;
  readonly total: number;
}

export interface SearchResult extends Answered {
  readonly unit: string;
  readonly total: number;
  readonly matched: number;
  readonly call_paths: number;
  readonly rows: readonly SearchRow[];
}

export interface Scratch extends Answered {
  readonly id: string;
  readonly name: string; // of the file; may be empty
  readonly expires: string;
  readonly format: string;
  readonly samples: number;
  readonly from: string;
  readonly to: string;
  readonly types: readonly string[];
  readonly default_type: string;
  readonly warnings: readonly string[];
}

export interface ShortLink {
  readonly id: string;
  readonly url: string;
}

export interface SymbolHealth extends Answered {
  readonly type: string;
  readonly total: number;
  readonly nameless: number;
  readonly share: number;
  readonly module_count: number;
  readonly modules: readonly {
    readonly module: string;
    readonly key: string;
    readonly build_ids: readonly string[];
    readonly total: number;
    readonly self: number;
    readonly share: number;
    readonly self_share: number;
    readonly addresses: number;
    readonly state: string;
    readonly reason: string;
    readonly fix: string;
  }[];
}

export interface Ingested {
  readonly requests: number;
  readonly failed: number;
  readonly items: number;
  readonly rejected: number;
  readonly bytes: number;
  readonly last_seen: string | null; // null: nothing came yet
}

// What a server of the demonstration has to show, one page after the other; others have no steps.
export interface Guide extends Answered {
  readonly title: string;
  readonly steps: readonly GuideStep[];
}

export interface GuideStep {
  readonly title: string;
  readonly text: string;
  readonly path: string; // "/charts?from=..."; empty where there is nothing to look at
}

export interface Health extends Answered {
  readonly status: "ok" | "warning" | "error";
  readonly problems: readonly {
    readonly severity: string;
    readonly code: string;
    readonly message: string;
    readonly advice: string;
  }[];
  readonly version: string;
  readonly started: string;
  readonly uptime_seconds: number;
  readonly ingest: Readonly<Record<string, Ingested>>;
  readonly drops: readonly {
    readonly what: string;
    readonly signal: string;
    readonly port: string;
    readonly reason: string;
    readonly count: number;
  }[];
  readonly senders: readonly {
    readonly host: string;
    readonly service: string;
    readonly requests: number;
    readonly failed: number;
    readonly bytes: number;
    readonly last_seen: string;
    readonly last_error: string;
  }[];
  readonly store: {
    readonly state: string;
    readonly disk_bytes: number;
    readonly disk_limit_bytes: number;
    readonly memory_bytes: number;
    readonly series: number;
    readonly series_limit: number;
    readonly stacks: number;
    readonly newest: string | null;
  };
  readonly scratch: { readonly uploads: number; readonly disk_bytes: number; readonly disk_limit_bytes: number };
  readonly memory: { readonly resident_bytes: number; readonly limit_bytes: number };
  readonly listening: { readonly scheme: string; readonly otlp_grpc_port: number; readonly otlp_http_port: number };
}

export interface Breakdown extends Answered {
  readonly unit: string;
  readonly total: number;
  readonly key: string;
  readonly rows: readonly { readonly value: string; readonly missing: boolean; readonly total: number }[];
  readonly other: { readonly count: number; readonly total: number };
}

export interface Samples extends Answered {
  readonly unit: string;
  readonly begin: string;
  readonly lanes: readonly string[];
  readonly functions: readonly string[];
  readonly function_types: readonly string[];
  readonly function_modules: readonly string[];
  readonly stacks: readonly (readonly number[])[];
  readonly events: {
    readonly time: readonly number[];
    readonly value: readonly number[];
    readonly lane: readonly number[];
    readonly stack: readonly number[];
  };
  readonly event_count: number;
  readonly timeless_count: number; // of them: the profile's time stands for their own
  readonly next: string | null;
}
