// SPDX-License-Identifier: Apache-2.0
//
// Which page an address shows.
import type { JSX } from "preact";
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { hrefOf, path } from "../state/location";
import { DiffPage } from "./diff";
import { ExplorePage } from "./explore";
import { FleetPage } from "./fleet";
import { FunctionPage } from "./function";
import { LogsPage } from "./logs";
import { MetricsPage } from "./metrics";
import { Boundary } from "./parts";
import { ProfilesPage } from "./profiles";
import { HealthPage, OpenPage, SymbolsPage } from "./server_pages";
import { ServicePage } from "./service";
import { Shell } from "./shell";
import { TracePage } from "./trace";
import { TracesPage } from "./traces";

interface Route {
  readonly pattern: RegExp;
  readonly title: (id: string) => string;
  readonly isFilling?: boolean; // the page is as high as the window and scrolls inside
  readonly page: (id: string) => JSX.Element;
}

const ROUTES: readonly Route[] = [
  { pattern: /^\/$/, title: () => "Fleet", page: () => <FleetPage /> },
  { pattern: /^\/service\/(.+)$/, title: (name) => name, page: (name) => <ServicePage name={name} /> },
  { pattern: /^\/explore$/, title: () => "Explore", isFilling: true, page: () => <ExplorePage /> },
  { pattern: /^\/diff$/, title: () => "Compare", isFilling: true, page: () => <DiffPage /> },
  { pattern: /^\/traces$/, title: () => "Traces", page: () => <TracesPage /> },
  { pattern: /^\/trace\/([0-9a-fA-F]+)$/, title: (id) => `Trace ${id.slice(0, 8)}`, isFilling: true, page: (id) => <TracePage id={id} /> },
  { pattern: /^\/charts$/, title: () => "Metrics", page: () => <MetricsPage /> },
  { pattern: /^\/logs$/, title: () => "Logs", isFilling: true, page: () => <LogsPage /> },
  { pattern: /^\/fn\/(.+)$/, title: (name) => name, page: (name) => <FunctionPage name={name} /> },
  { pattern: /^\/profiles$/, title: () => "Profiles", page: () => <ProfilesPage /> },
  { pattern: /^\/open$/, title: () => "Open a file", page: () => <OpenPage /> },
  { pattern: /^\/symbols$/, title: () => "Symbols", page: () => <SymbolsPage /> },
  { pattern: /^\/health$/, title: () => "Server", page: () => <HealthPage /> },
];

// What is around every page is made first and the first page after it, in two tasks: one would be long.
const hasFrame = signal(false);

export function App(): JSX.Element {
  useLayoutEffect(() => {
    const timer = setTimeout(() => (hasFrame.value = true));
    return () => clearTimeout(timer);
  }, []);
  const at = path.value.length > 1 ? path.value.replace(/\/$/, "") : path.value;
  for (const route of ROUTES) {
    const match = route.pattern.exec(at);
    if (match === null) continue;
    const id = decode(match[1] ?? "");
    return (
      <Shell isFilling={route.isFilling ?? false}>
        <Title text={route.title(id)} />
        <Boundary key={at}>{hasFrame.value && route.page(id)}</Boundary>
      </Shell>
    );
  }
  return (
    <Shell isFilling={false}>
      <Title text="No such page" />
      <div class="state"><h1>There is no page at {at}</h1><a href={hrefOf("/")}>Go to the fleet</a></div>
    </Shell>
  );
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray percent sign: show what there is
  }
};

function Title({ text }: { readonly text: string }): null {
  useEffect(() => {
    document.title = `${text} · Flarestack`;
  }, [text]);
  return null;
}
