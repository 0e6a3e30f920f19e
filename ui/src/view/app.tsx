// SPDX-License-Identifier: Apache-2.0
//
// Routes URLs to pages.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { hrefOf, path } from "../state/location";
import { useUpload } from "../state/upload";
import { type LazyPage, lazyPage, loadWhenIdle } from "./parts/lazy_page";
import { Boundary } from "./parts/parts";
import { Shell } from "./shell/shell";

interface Route {
  readonly pattern: RegExp;
  readonly title: (id: string) => string;
  readonly isFilling?: boolean; // the page is as high as the window and scrolls inside
  readonly page: LazyPage;
}

// The script of a page is loaded when it is first shown, so that the first page does not wait for all of them.
const ROUTES: readonly Route[] = [
  {
    pattern: /^\/$/,
    title: () => "Fleet",
    page: lazyPage(() =>
      import("./fleet/fleet").then(({ FleetPage }) => () => <FleetPage />),
    ),
  },
  {
    pattern: /^\/service\/(.+)$/,
    title: (name) => name,
    page: lazyPage(() =>
      import("./fleet/service").then(({ ServicePage }) => (name) => <ServicePage name={name} />),
    ),
  },
  {
    pattern: /^\/explore$/,
    title: () => "Explore",
    isFilling: true,
    page: lazyPage(() =>
      import("./explore/explore").then(({ ExplorePage }) => () => <ExplorePage />),
    ),
  },
  {
    pattern: /^\/diff$/,
    title: () => "Compare",
    isFilling: true,
    page: lazyPage(() =>
      import("./compare/diff").then(({ DiffPage }) => () => <DiffPage />),
    ),
  },
  {
    pattern: /^\/traces$/,
    title: () => "Traces",
    page: lazyPage(() =>
      import("./traces/traces").then(({ TracesPage }) => () => <TracesPage />),
    ),
  },
  {
    pattern: /^\/trace\/([0-9a-fA-F]+)$/,
    title: (id) => `Trace ${id.slice(0, 8)}`,
    isFilling: true,
    page: lazyPage(() =>
      import("./traces/trace").then(({ TracePage }) => (id) => <TracePage id={id} />),
    ),
  },
  {
    pattern: /^\/charts$/,
    title: () => "Metrics",
    page: lazyPage(() =>
      import("./metrics").then(({ MetricsPage }) => () => <MetricsPage />),
    ),
  },
  {
    pattern: /^\/logs$/,
    title: () => "Logs",
    isFilling: true,
    page: lazyPage(() =>
      import("./logs/logs").then(({ LogsPage }) => () => <LogsPage />),
    ),
  },
  {
    pattern: /^\/fn\/(.+)$/,
    title: (name) => name,
    page: lazyPage(() =>
      import("./fleet/function").then(({ FunctionPage }) => (name) => <FunctionPage name={name} />),
    ),
  },
  {
    pattern: /^\/profiles$/,
    title: () => "Profiles",
    page: lazyPage(() =>
      import("./profiles").then(({ ProfilesPage }) => () => <ProfilesPage />),
    ),
  },
  {
    pattern: /^\/open$/,
    title: () => "Open a file",
    page: lazyPage(() =>
      import("./server_pages").then(({ OpenPage }) => () => <OpenPage />),
    ),
  },
  {
    pattern: /^\/symbols$/,
    title: () => "Symbols",
    page: lazyPage(() =>
      import("./server_pages").then(({ SymbolsPage }) => () => <SymbolsPage />),
    ),
  },
  {
    pattern: /^\/health$/,
    title: () => "Server",
    page: lazyPage(() =>
      import("./server_pages").then(({ HealthPage }) => () => <HealthPage />),
    ),
  },
];

// Renders the shell first and then the page, in separate tasks, to avoid one long task.
const partsMade = signal(1);
const PARTS_OF_FRAME = 2;

export function App(): JSX.Element {
  useLayoutEffect(() => {
    const timer = setTimeout(() => (partsMade.value = Math.min(partsMade.value, PARTS_OF_FRAME) + 1));
    return () => clearTimeout(timer);
  }, [partsMade.value]);
  const at = path.value.length > 1 ? path.value.replace(/\/$/, "") : path.value;
  for (const route of ROUTES) {
    const match = route.pattern.exec(at);
    if (match === null) continue;
    const id = decode(match[1] ?? "");
    const { load, Page } = route.page;
    void load().then(loadOthers);
    return (
      <Shell isFilling={route.isFilling ?? false} partsMade={partsMade.value}>
        <Title text={route.title(id)} />
        <Boundary key={at}>{partsMade.value > PARTS_OF_FRAME && <Page id={id} />}</Boundary>
      </Shell>
    );
  }
  return (
    <Shell isFilling={false} partsMade={partsMade.value}>
      <Title text="Page not found" />
      <div class="state">
        <h1>There is no page at {at}</h1>
        <a href={hrefOf("/")}>Go to the fleet</a>
      </div>
    </Shell>
  );
}

let hasRequestedOthers = false;

function loadOthers(): void {
  if (!hasRequestedOthers) loadWhenIdle(ROUTES.map((route) => route.page));
  hasRequestedOthers = true;
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // invalid percent encoding: use the text unchanged
  }
};

// A page about a file has the name of the file.
function Title({ text }: { readonly text: string }): null {
  const file = useUpload()?.name ?? "";
  useEffect(() => {
    document.title = `${file === "" ? text : text === "Explore" ? file : `${text} · ${file}`} · Flarestack`;
  }, [text, file]);
  return null;
}
