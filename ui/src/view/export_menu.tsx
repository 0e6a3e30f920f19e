// SPDX-License-Identifier: Apache-2.0
//
// What is shown as a file: the picture, or the profile in each format that the server writes.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { apiUrl, getBytes, hasCredentials } from "../api/client";
import { scopeParameters, type UrlState } from "../profile/url_state";
import { download, say } from "./parts";

export function ExportMenu({
  state,
  onSvg,
  onPng,
}: {
  readonly state: UrlState;
  readonly onSvg: () => void;
  readonly onPng: () => void;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const parameters = scopeParameters(state);
  const names: readonly (readonly [string, string, string])[] = [
    ["pprof", "pprof", "pb.gz"],
    ["otlp", "OTLP", "otlp"],
    ["folded", "Folded stacks", "folded"],
    ["speedscope", "Speedscope", "speedscope.json"],
    ["csv", "CSV", "csv"],
    ["html", "Self-contained HTML", "html"],
  ];
  return (
    <div class="anchor" onMouseLeave={() => setOpen(false)}>
      <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Export
      </button>
      {isOpen && (
        <div class="popover anchored" role="menu" onClick={() => setOpen(false)}>
          <button type="button" class="menu-item" role="menuitem" onClick={onSvg}>
            Image (SVG) <kbd>e</kbd>
          </button>
          <button type="button" class="menu-item" role="menuitem" onClick={onPng}>
            Image (PNG)
          </button>
          {names.map(([format, name, ending]) => (
            <a
              key={format}
              class="menu-item"
              role="menuitem"
              download={`profile.${ending}`}
              href={apiUrl("export", [...parameters, ["format", format]])}
              onClick={(event) => {
                if (!hasCredentials()) return;
                event.preventDefault();
                void saveExport([...parameters, ["format", format]], `profile.${ending}`);
              }}
            >
              {name}
            </a>
          ))}
        </div>
      )}
    </div>
  );
}

async function saveExport(parameters: [string, string][], name: string): Promise<void> {
  try {
    const { buffer } = await getBytes("export", parameters, "*/*", new AbortController().signal);
    download(name, new Blob([buffer]));
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}
