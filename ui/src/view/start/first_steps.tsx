// SPDX-License-Identifier: Apache-2.0
//
// Shown until the first profile is stored: how to send one, what else is stored, and what arrives.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Health, Logs, Metrics, Traces } from "../../api/types";
import { formatCount } from "../../profile/cost/units";
import { hrefKeepingScope, hrefOf, refresh } from "../../state/location";
import { useApi } from "../../state/resource";
import { Panel, Tabs } from "../parts/parts";
import { Command, otlpEnvironment } from "./command";

type Way = "record" | "otlp" | "demo";
const WAYS: readonly (readonly [Way, string])[] = [
  ["record", "Record a program"],
  ["otlp", "Send OTLP"],
  ["demo", "Try the demo"],
];
const POLL_MS = 4000;

// The OTLP/HTTP endpoint, on the host of this page.
export const otlpEndpoint = (health: Health | null): string =>
  `${health?.listening.scheme ?? "http"}://${window.location.hostname}:${health?.listening.otlp_http_port ?? 4318}`;

export function FirstSteps(): JSX.Element {
  const health = useApi<Health>("health");
  const [way, setWay] = useState<Way>("record");
  useEffect(() => {
    const timer = window.setInterval(() => document.visibilityState === "visible" && refresh(), POLL_MS);
    return () => window.clearInterval(timer);
  }, []);
  const endpoint = otlpEndpoint(health.data);
  return (
    <div class="first-steps">
      <StoredSoFar />
      <Panel title={<Tabs label="Getting started" options={WAYS} value={way} onChoose={setWay} />}>
        {way === "record" && (
          <>
            <Command
              what="Record a command and send the profile here"
              command={[
                "sudo flarestack record -o profile.otlp.zst -- ./your-program",
                `flarestack send profile.otlp.zst --endpoint ${endpoint}`,
              ].join("\n")}
            />
            <Command
              what="Profile every process on this host continuously"
              command={`sudo flarestack agent --endpoint ${endpoint}`}
            />
          </>
        )}
        {way === "otlp" && (
          <>
            <Command
              what="Send traces, metrics, logs and profiles from an OpenTelemetry SDK or Collector"
              command={otlpEnvironment(endpoint)}
            />
            <Command
              what="Send an existing profile: pprof, OTLP, folded stacks, perf script"
              command={`flarestack send profile.pb.gz --endpoint ${endpoint}`}
            />
          </>
        )}
        {way === "demo" && (
          <Command
            what="Start a demo server with five services and a bad deployment to find"
            command="flarestack demo"
          />
        )}
        <div class="row wrap">
          <Listening health={health.data} />
          <span class="grow" />
          <a class="button" href={hrefKeepingScope("/open")}>
            Open a file instead
          </a>
        </div>
      </Panel>
    </div>
  );
}

// Other signals may already be stored, even from before the server was started. Until the responses arrive, claims
// nothing about them.
function StoredSoFar(): JSX.Element {
  const traces = useApi<Traces>("traces", [
    ["from", "0"],
    ["limit", "1"],
  ]);
  const logs = useApi<Logs>("logs", [
    ["from", "0"],
    ["limit", "1"],
  ]);
  const metrics = useApi<Metrics>("metrics", [["limit", "1"]]);
  const stored: readonly (readonly [string, string, number | undefined])[] = [
    ["View traces", "/traces", traces.data?.traces.length],
    ["View logs", "/logs", logs.data?.records.length],
    ["View metrics", "/charts", metrics.data?.metrics.length],
  ];
  const isNothing = stored.every(([, , count]) => count === 0);
  return (
    <div class="page-head">
      <h1>{isNothing ? "No data yet" : "No profiles yet"}</h1>
      {stored
        .filter(([, , count]) => (count ?? 0) > 0)
        .map(([name, path]) => (
          <a key={path} class="button" href={hrefOf(path)}>
            {name}
          </a>
        ))}
    </div>
  );
}

function Listening({ health }: { readonly health: Health | null }): JSX.Element {
  const received = Object.values(health?.ingest ?? {}).reduce((sum, signal) => sum + signal.requests, 0);
  const error = (health?.senders ?? []).find((sender) => sender.last_error !== "")?.last_error ?? "none";
  return (
    <span class="row wrap" role="status">
      <i class="pulse" />
      <span>
        listening on {otlpEndpoint(health)}
        {health === null ? "" : ` and port ${health.listening.otlp_grpc_port} (gRPC)`},{" "}
        {received === 0 ? "0 requests" : `${formatCount(received)} requests`}, last error: {error}
      </span>
    </span>
  );
}
