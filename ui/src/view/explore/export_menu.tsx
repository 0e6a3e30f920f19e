// SPDX-License-Identifier: Apache-2.0
//
// Exports the view: the image, or the profile in any format that the server writes.
import type { JSX } from "preact";
import { apiUrl, getBytes, hasCredentials } from "../../api/client";
import { scopeParameters, type UrlState } from "../../profile/query/url_state";
import { MenuButton, type MenuEntry } from "../parts/menu";
import { download, say } from "../parts/parts";

interface ExportMenuProps {
  readonly state: UrlState;
  readonly onSvg: () => void;
  readonly onPng: () => void;
}

const FORMATS: readonly (readonly [string, string, string])[] = [
  ["pprof", "pprof", "pb.gz"],
  ["otlp", "OTLP", "otlp"],
  ["folded", "Folded stacks", "folded"],
  ["speedscope", "Speedscope", "speedscope.json"],
  ["csv", "CSV", "csv"],
  ["html", "Self-contained HTML", "html"],
];

export function ExportMenu({ state, onSvg, onPng }: ExportMenuProps): JSX.Element {
  const parameters = scopeParameters(state);
  const entries = (): readonly MenuEntry[] => [
    { label: "Image (SVG)", key: "e", run: onSvg },
    { label: "Image (PNG)", run: onPng },
    ...FORMATS.map(([format, label, ending]): MenuEntry => {
      const query: [string, string][] = [...parameters, ["format", format]];
      const name = `profile.${ending}`;
      return {
        label,
        link: { href: apiUrl("export", query), download: name },
        run: (event) => {
          if (!hasCredentials()) return; // the browser loads the link
          event?.preventDefault();
          void saveExport(query, name);
        },
      };
    }),
  ];
  return <MenuButton button="Export" label="Export" entries={entries} />;
}

async function saveExport(parameters: [string, string][], name: string): Promise<void> {
  try {
    const { buffer } = await getBytes("export", parameters, "*/*", new AbortController().signal);
    download(name, new Blob([buffer]));
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}
