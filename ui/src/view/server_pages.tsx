// SPDX-License-Identifier: Apache-2.0
//
// Pages about the server: uploaded files, symbols, health.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError, send } from "../api/client";
import type { Health, Scratch, SymbolHealth } from "../api/types";
import { formatBytes, formatCount, formatCounted, formatNanos, formatShare, formatValue } from "../profile/cost/units";
import { EMPTY_STATE, scopeParameters } from "../profile/query/url_state";
import { formatAgo, nanosToMs } from "../profile/time/time_range";
import { go, hrefOf, nowMs, updateExtra, urlState } from "../state/location";
import { useApi } from "../state/resource";
import { copyText, ErrorState, Panel, ServiceName, Share, Shown, Tile } from "./parts/parts";

interface OpenedFile {
  readonly id: string; // of the upload
  readonly name: string;
}

const MODULE_CHIPS: Readonly<Record<string, string>> = { failed: "error", waiting: "" };
const FILE_KEY = /^file\.\d+$/;

// The URL lists files as file.001=ID NAME, so that they survive a reload, and `flarestack open` can set them.
const openedIn = (extra: Readonly<Record<string, string>>): OpenedFile[] =>
  Object.keys(extra)
    .filter((key) => FILE_KEY.test(key))
    .sort()
    .map((key) => {
      const [id = "", ...name] = (extra[key] ?? "").split(" ");
      return { id, name: name.join(" ") || id };
    });

const keyOfFile = (number: number): string => `file.${String(number).padStart(3, "0")}`;

export function OpenPage(): JSX.Element {
  const [isOver, setOver] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const opened = openedIn(urlState.value.extra);
  const [busy, setBusy] = useState("");
  const upload = async (files: readonly File[]): Promise<void> => {
    setError(null);
    for (const file of files) {
      setBusy(file.name);
      try {
        const scratch = await send<Scratch>("POST", "scratch", [["name", file.name]], file);
        const before = openedIn(urlState.peek().extra);
        updateExtra({ [keyOfFile(before.length + 1)]: `${scratch.id} ${file.name}` }, true);
        if (files.length === 1 && before.length === 0 && scratch.warnings.length === 0)
          go("/explore", { ...EMPTY_STATE, scratch: scratch.id });
      } catch (caught) {
        setError(caught instanceof ApiError ? caught : new ApiError(0, "page", String(caught), "", ""));
      }
    }
    setBusy("");
  };
  const [first, second] = [opened.at(-2), opened.at(-1)];
  const type = useCommonType(first, second);
  return (
    <>
      <div class="page-head">
        <h1>Open a file</h1>
        <span class="muted">Temporary: deleted after 24 hours.</span>
      </div>
      <label
        class={`drop-zone ${isOver ? "over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void upload([...(event.dataTransfer?.files ?? [])]);
        }}
      >
        <div>
          <p>
            <b>{busy === "" ? "Drop a profile here" : `Reading ${busy} …`}</b>
          </p>
          <p class="muted">
            pprof, OTLP, folded stacks, perf script output and other supported formats, compressed or not. Drop two
            files to compare them.
          </p>
          <span class="button">Choose a file</span>
          <input
            class="visually-hidden"
            type="file"
            multiple
            onChange={(event) => void upload([...(event.currentTarget.files ?? [])])}
          />
        </div>
      </label>
      {error !== null && <ErrorState error={error} />}
      <div class="gap" />
      {opened.length > 0 && (
        <Panel
          title="Opened files"
          isFlush
          actions={
            first !== undefined &&
            second !== undefined && (
              <a
                class="button primary"
                href={hrefOf("/diff", { ...EMPTY_STATE, type, scratch: second.id, baseline: { scratch: first.id } })}
              >
                Compare {opened.length === 2 ? "both" : "the last two"}
              </a>
            )
          }
        >
          <table class="list">
            <tbody>
              {opened.map((file) => (
                <OpenedRow key={file.id} file={file} />
              ))}
            </tbody>
          </table>
        </Panel>
      )}
    </>
  );
}

// The type for comparing two files with different types; empty: the server's default.
function useCommonType(first: OpenedFile | undefined, second: OpenedFile | undefined): string {
  const before = useApi<Scratch>(first === undefined ? null : `scratch/${encodeURIComponent(first.id)}`).data?.types;
  const after = useApi<Scratch>(second === undefined ? null : `scratch/${encodeURIComponent(second.id)}`).data?.types;
  if (before === undefined || after === undefined || before.join() === after.join()) return "";
  return before.find((type) => after.includes(type)) ?? "";
}

function OpenedRow({ file }: { readonly file: OpenedFile }): JSX.Element {
  const { data, error } = useApi<Scratch>(`scratch/${encodeURIComponent(file.id)}`);
  return (
    <tr>
      <td>
        <a href={hrefOf("/explore", { ...EMPTY_STATE, scratch: file.id })}>{file.name}</a>
      </td>
      <td class="muted">{data?.format}</td>
      <td class="number">{data !== null && formatCounted(data.samples, "sample")}</td>
      <td>{data?.types.join(", ")}</td>
      <td class="warn-text" title={data?.warnings.join("\n")}>
        {error !== null ? error.message : data?.warnings.join("; ")}
      </td>
    </tr>
  );
}

export function SymbolsPage(): JSX.Element {
  const health = useApi<SymbolHealth>("symbols/health", scopeParameters({ ...urlState.value, spanname: "" }));
  return (
    <>
      <div class="page-head">
        <h1>Symbols</h1>
        <span class="muted">Why addresses are shown instead of function names, and how to fix it.</span>
      </div>
      <Shown of={health} isEmpty={() => false}>
        {(data) => (
          <>
            <div class="tiles">
              <Tile name="of the cost has unsymbolized frames">{formatShare(data.share)}</Tile>
              <Tile name="modules missing symbols">{data.module_count}</Tile>
            </div>
            <div class="gap" />
            {data.modules.length === 0 ? (
              <Panel title="All frames symbolized">
                <div class="state">Every frame in this time range has a name.</div>
              </Panel>
            ) : (
              <Panel title="Modules missing symbols" isFlush>
                <table class="list wrapped">
                  <colgroup>
                    <col style={{ width: "22%" }} />
                    <col style={{ width: "150px" }} />
                    <col style={{ width: "90px" }} />
                    <col style={{ width: "104px" }} />
                    <col />
                  </colgroup>
                  <thead>
                    <tr>
                      <th>Module</th>
                      <th class="number">Cost</th>
                      <th class="number">Addresses</th>
                      <th>State</th>
                      <th>Cause and fix</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.modules.map((module) => (
                      <tr key={module.key + module.module}>
                        <td>
                          <b>{module.module === "" ? "(unknown file)" : module.module}</b>
                          <div class="faint mono clip">{module.build_ids[0] ?? ""}</div>
                        </td>
                        <td>
                          <Share of={module.share} />
                        </td>
                        <td class="number">{formatCount(module.addresses)}</td>
                        <td>
                          <span class={`chip ${MODULE_CHIPS[module.state] ?? "new"}`}>{module.state}</span>
                        </td>
                        <td>
                          {module.reason}
                          {module.fix !== "" && (
                            <div class="row">
                              <code class="grow clip" title={module.fix}>
                                {module.fix}
                              </code>
                              <button
                                type="button"
                                class="button ghost"
                                onClick={() => void copyText(module.fix, "Command")}
                              >
                                Copy
                              </button>
                            </div>
                          )}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Panel>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

const ago = (nanos: string | null): string =>
  nanos === null || nanos === "" || nanos === "0" ? "never" : formatAgo(nanosToMs(nanos), nowMs.value);

export function HealthPage(): JSX.Element {
  const health = useApi<Health>("health");
  return (
    <Shown of={health}>
      {(data) => (
        <>
          <div class="page-head">
            <h1>Server</h1>
            <span class={`chip ${data.status === "ok" ? "exact" : data.status === "error" ? "error" : "new"}`}>
              {data.status === "ok" ? "Healthy" : data.status}
            </span>
            <span class="muted">
              version {data.version}, up for {formatNanos(data.uptime_seconds * 1e9)}
            </span>
          </div>
          {data.problems.map((problem) => (
            <div
              key={problem.code + problem.message}
              class={`note ${problem.severity === "error" ? "bad" : ""}`}
              role="status"
            >
              <b>{problem.message}</b>
              <div>{problem.advice}</div>
            </div>
          ))}
          <div class="grid">
            <Panel class="w7" title="Received since startup" isFlush>
              <table class="list">
                <thead>
                  <tr>
                    <th>Signal</th>
                    <th class="number">Requests</th>
                    <th class="number">Items</th>
                    <th class="number">Rejected</th>
                    <th class="number">Failed</th>
                    <th class="number">Bytes</th>
                    <th class="number">Last</th>
                  </tr>
                </thead>
                <tbody>
                  {Object.entries(data.ingest).map(([signal, row]) => (
                    <tr key={signal}>
                      <td>{signal}</td>
                      <td class="number">{formatCount(row.requests)}</td>
                      <td class="number">{formatCount(row.items)}</td>
                      <td class="number">{formatCount(row.rejected)}</td>
                      <td class="number">{formatCount(row.failed)}</td>
                      <td class="number">{formatBytes(row.bytes)}</td>
                      <td class="number muted">{ago(row.last_seen)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Panel>
            <Panel class="w5" title="Store">
              <dl class="facts">
                <dt>state</dt>
                <dd>{data.store.state}</dd>
                <dt>on disk</dt>
                <dd>
                  {formatBytes(data.store.disk_bytes)}
                  {data.store.disk_limit_bytes > 0 ? ` of ${formatBytes(data.store.disk_limit_bytes)}` : ", no limit"}
                </dd>
                <dt>series</dt>
                <dd>
                  {formatCount(data.store.series)} of {formatCount(data.store.series_limit)}
                </dd>
                <dt>stacks</dt>
                <dd>{formatCount(data.store.stacks)}</dd>
                <dt>memory</dt>
                <dd>
                  {formatBytes(data.memory.resident_bytes)} of {formatBytes(data.memory.limit_bytes)}
                </dd>
                <dt>uploads</dt>
                <dd>
                  {data.scratch.uploads}, {formatBytes(data.scratch.disk_bytes)}
                </dd>
              </dl>
            </Panel>
            <Panel class="w7" title="Senders" isFlush>
              <table class="list">
                <thead>
                  <tr>
                    <th>Service</th>
                    <th>Host</th>
                    <th class="number">Requests</th>
                    <th class="number">Failed</th>
                    <th class="number">Bytes</th>
                    <th class="number">Last</th>
                    <th>Last error</th>
                  </tr>
                </thead>
                <tbody>
                  {data.senders.map((sender) => (
                    <tr key={sender.host + sender.service}>
                      <td>
                        <ServiceName name={sender.service} />
                      </td>
                      <td class="mono">{sender.host}</td>
                      <td class="number">{formatCount(sender.requests)}</td>
                      <td class="number">{formatCount(sender.failed)}</td>
                      <td class="number">{formatBytes(sender.bytes)}</td>
                      <td class="number muted">{ago(sender.last_seen)}</td>
                      <td title={sender.last_error}>{sender.last_error}</td>
                    </tr>
                  ))}
                  {data.senders.length === 0 && (
                    <tr>
                      <td colSpan={7} class="muted">
                        No senders yet.
                      </td>
                    </tr>
                  )}
                </tbody>
              </table>
            </Panel>
            <Panel class="w5" title="Dropped" isFlush>
              <table class="list">
                <thead>
                  <tr>
                    <th>Item</th>
                    <th>Source</th>
                    <th>Reason</th>
                    <th class="number">Count</th>
                  </tr>
                </thead>
                <tbody>
                  {data.drops.map((drop) => (
                    <tr key={drop.what + drop.signal + drop.port + drop.reason}>
                      <td>{drop.what}</td>
                      <td>{drop.signal || drop.port}</td>
                      <td>{drop.reason}</td>
                      <td class="number">{formatValue(drop.count, "count")}</td>
                    </tr>
                  ))}
                  {data.drops.length === 0 && (
                    <tr>
                      <td colSpan={4} class="muted">
                        Nothing dropped.
                      </td>
                    </tr>
                  )}
                </tbody>
              </table>
            </Panel>
          </div>
        </>
      )}
    </Shown>
  );
}
