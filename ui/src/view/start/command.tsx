// SPDX-License-Identifier: Apache-2.0
//
// A shell command with a description and a copy button.
import type { JSX } from "preact";
import { copyText } from "../parts/parts";

export function Command({ what, command }: { readonly what: string; readonly command: string }): JSX.Element {
  return (
    <div class="command-box">
      {what !== "" && <div class="what">{what}</div>}
      <div class="row top">
        <pre class="command grow" role="group" tabIndex={0} aria-label={what === "" ? command : what}>
          {command}
        </pre>
        <button
          type="button"
          class="button"
          aria-label={`Copy: ${what === "" ? command : what}`}
          onClick={() => void copyText(command, "Command")}
        >
          Copy
        </button>
      </div>
    </div>
  );
}

// The environment variables with which an OpenTelemetry SDK or Collector sends to this server.
export function otlpEnvironment(endpoint: string): string {
  return [
    `export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}`,
    "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    "export OTEL_SERVICE_NAME=my-service",
  ].join("\n");
}
