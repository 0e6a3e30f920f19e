// SPDX-License-Identifier: Apache-2.0
//
// Small components shared by all pages.
import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Component } from "preact";
import { type Answered, ApiError, type Empty, type Meta } from "../../api/client";
import { formatShare } from "../../profile/cost/units";
import { internalsOf } from "../../profile/query/filter_steps";
import { nanosToMs } from "../../profile/time/time_range";
import { hrefKeepingScope, refresh, update, updateExtra, urlState } from "../../state/location";
import type { Resource } from "../../state/resource";
import { serviceColor } from "../../state/theme";
import { clock, day } from "../../state/time_zone";

export const toast = signal("");
let toastTimer = 0;

export function say(text: string): void {
  toast.value = text;
  window.clearTimeout(toastTimer);
  toastTimer = window.setTimeout(() => (toast.value = ""), 2600);
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    window.prompt(`Copy the ${what.toLowerCase()}:`, text); // the browser forbids it without HTTPS
  }
}

export function download(name: string, content: Blob): void {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(content);
  anchor.download = name;
  anchor.click();
  window.setTimeout(() => URL.revokeObjectURL(anchor.href), 5000);
}

interface PanelProps {
  readonly title: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly class?: string;
  readonly isFlush?: boolean;
  readonly isLoading?: boolean;
  readonly children: ComponentChildren;
}

export function Panel(props: PanelProps): JSX.Element {
  return (
    <section class={`panel ${props.class ?? ""}`}>
      <header>
        <h2 class="grow clip">{props.title}</h2>
        {props.actions}
      </header>
      {props.isLoading === true && <div class="progress-line" />}
      <div class={`body ${props.isFlush === true ? "flush" : ""}`}>
        <Boundary>{props.children}</Boundary>
      </div>
    </section>
  );
}

// Error boundary: a failing panel does not break its page, and a failing page does not break navigation.
export class Boundary extends Component<{ children: ComponentChildren }, { error: Error | null }> {
  override state = { error: null as Error | null };
  override componentDidCatch(error: Error): void {
    this.setState({ error });
  }
  override render(): ComponentChildren {
    const { error } = this.state;
    return error === null ? (
      this.props.children
    ) : (
      <ErrorState error={new ApiError(0, "page", `this part of the page failed: ${error.message}`, "", "")} />
    );
  }
}

export function ErrorState({ error }: { readonly error: ApiError }): JSX.Element {
  const diagnostics = JSON.stringify({
    status: error.status,
    code: error.code,
    message: error.message,
    hint: error.hint,
    request_id: error.requestId,
    page: window.location.href,
  });
  return (
    <div class="state" role="alert">
      <strong>{error.message}</strong>
      {error.hint !== "" && <div>{error.hint}</div>}
      {error.requestId !== "" && <code>request {error.requestId}</code>}
      <div class="row">
        <button type="button" class="button" onClick={refresh}>
          Try again
        </button>
        <button type="button" class="button ghost" onClick={() => void copyText(diagnostics, "Diagnostics")}>
          Copy diagnostics
        </button>
      </div>
    </div>
  );
}

export function EmptyState({ empty }: { readonly empty: Empty }): JSX.Element {
  const state = urlState.value;
  const nearest = typeof empty.nearest === "string" && empty.nearest !== "" ? nanosToMs(empty.nearest) : null;
  return (
    <div class="state">
      <strong>No data</strong>
      <div>{empty.reason}</div>
      <div class="row">
        {nearest !== null && (
          <button
            type="button"
            class="button"
            onClick={() => update({ from: String(nearest), to: String(nearest + 3_600_000) })}
          >
            Go to {day(nearest)} {clock(nearest)}
          </button>
        )}
        {empty.matcher !== undefined && (
          <button type="button" class="button" onClick={() => update({ q: "" })}>
            Show without {empty.matcher}
          </button>
        )}
        {empty.step !== undefined && (
          <button
            type="button"
            class="button"
            onClick={() => update({ f: state.f.filter((step) => step !== empty.step) })}
          >
            Show without {empty.step}
          </button>
        )}
        {(empty.types ?? []).map((type) => (
          <button type="button" key={type} class="button" onClick={() => update({ type })}>
            Show {type}
          </button>
        ))}
        {(empty.excluded_by ?? [])
          .filter((by) => by.includes("="))
          .map((by) => (
            <button
              type="button"
              key={by}
              class="button"
              onClick={() => updateExtra({ [by.slice(0, by.indexOf("="))]: "" })}
            >
              Show without {by}
            </button>
          ))}
      </div>
    </div>
  );
}

// For views that need the timestamp of each sample.
export function NoSampleTimes(): JSX.Element {
  return (
    <div class="state">
      <strong>These samples have no timestamps</strong>
      <div>
        These profiles record what each stack cost, but not when. pprof and folded stacks cannot hold sample timestamps;
        OTLP profiles can.
      </div>
      <div class="row">
        <button type="button" class="button" onClick={() => update({ view: "icicle" })}>
          Show flame graph
        </button>
      </div>
    </div>
  );
}

export function PartialNote({ meta }: { readonly meta: Meta | undefined }): JSX.Element | null {
  if (meta?.partial !== true) return null;
  const missing = typeof meta.missing === "string" ? meta.missing : JSON.stringify(meta.missing ?? "");
  return (
    <div class="note" role="status">
      Partial result; values are lower bounds: {missing}{" "}
      <button type="button" class="button ghost" onClick={refresh}>
        Try again
      </button>
    </div>
  );
}

// The server is unreachable, and the last response is still shown.
export const isStale = (of: Resource<unknown>): boolean => of.error?.code === "unreachable" && of.data !== null;

export function StaleNote({ of }: { readonly of: Resource<unknown> }): JSX.Element | null {
  return isStale(of) ? (
    <div class="note bad thin" role="alert">
      The server cannot be reached. Showing the last result; retrying every few seconds.
    </div>
  ) : null;
}

// Shows a resource: loading, failed, empty, or its data.
export function Shown<T extends Answered>(props: {
  readonly of: Resource<T>;
  readonly isEmpty?: (data: T) => boolean;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element | null {
  const { data, error, isLoading } = props.of;
  if (error !== null && !isStale(props.of)) return <ErrorState error={error} />;
  if (data === null) return isLoading ? <div class="state faint">Loading …</div> : null;
  if (data.empty !== undefined && (props.isEmpty?.(data) ?? true)) return <EmptyState empty={data.empty} />;
  return (
    <div class={isLoading ? "is-loading" : ""}>
      <StaleNote of={props.of} />
      <PartialNote meta={data.meta} />
      {props.children(data)}
    </div>
  );
}

export function Share({ of }: { readonly of: number }): JSX.Element {
  return (
    <div class="share">
      <div class="track">
        <i style={{ width: `${Math.max(0, Math.min(100, of * 100))}%` }} />
      </div>
      {formatShare(of)}
    </div>
  );
}

export function Quality({ of, title }: { readonly of: string; readonly title?: string }): JSX.Element {
  const meaning = of === "exact" ? "Linked by IDs in the data" : "Matched by resource, thread and time";
  return (
    <span class={`chip ${of}`} title={title ?? meaning}>
      {of}
    </span>
  );
}

export function ServiceName({
  name,
  isLink = true,
}: {
  readonly name: string;
  readonly isLink?: boolean;
}): JSX.Element {
  const shown = name === "" ? "(no service.name)" : name;
  return (
    <span class="row">
      <i class="dot" style={{ background: serviceColor(name) }} />
      {isLink && name !== "" ? (
        <a class="clip" href={hrefKeepingScope(`/service/${encodeURIComponent(name)}`, { q: "" })}>
          {shown}
        </a>
      ) : (
        <span class="clip">{shown}</span>
      )}
    </span>
  );
}

export function FunctionName({
  name,
  scope = {},
}: {
  readonly name: string;
  readonly scope?: Parameters<typeof hrefKeepingScope>[1];
}): JSX.Element {
  return (
    <a
      class="mono"
      title={name}
      href={hrefKeepingScope(`/fn/${encodeURIComponent(name)}`, { f: internalsOf(urlState.value.f), ...scope })}
    >
      {name}
    </a>
  );
}

export function Spark({
  values,
  color,
  label,
}: {
  readonly values: readonly number[];
  readonly color: string;
  readonly label: string;
}): JSX.Element {
  const most = Math.max(...values, 0);
  if (values.length < 2 || most === 0) return <svg class="spark" role="img" aria-label={label} />;
  const points = values
    .map((value, i) => `${((i / (values.length - 1)) * 100).toFixed(2)},${(20 - (value / most) * 18).toFixed(2)}`)
    .join(" ");
  return (
    <svg class="spark" viewBox="0 0 100 22" preserveAspectRatio="none" role="img" aria-label={label}>
      <polygon points={`0,21 ${points} 100,21`} fill={color} opacity="0.16" />
      <polyline points={points} fill="none" stroke={color} stroke-width="1.4" vector-effect="non-scaling-stroke" />
    </svg>
  );
}

export function Tabs<T extends string>(props: {
  readonly label: string;
  readonly options: readonly (readonly [T, string])[];
  readonly value: string;
  readonly onChoose: (value: T) => void;
}): JSX.Element {
  return (
    <div class="tabs" role="tablist" aria-label={props.label}>
      {props.options.map(([value, name]) => (
        <button
          type="button"
          key={value}
          role="tab"
          aria-selected={value === props.value}
          onClick={() => props.onChoose(value)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

export function Tile({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="tile">
      <div class="value">{children}</div>
      <div class="name">{name}</div>
    </div>
  );
}

export function Facts({ of }: { readonly of: Readonly<Record<string, unknown>> }): JSX.Element {
  return (
    <dl class="facts">
      {Object.entries(of).map(([key, value]) => [
        <dt key={key}>{key}</dt>,
        <dd key={`${key}=`} class="mono">
          {textOf(value)}
        </dd>,
      ])}
    </dl>
  );
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
