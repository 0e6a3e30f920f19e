// SPDX-License-Identifier: Apache-2.0
//
// Which page an address shows.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { hrefOf, path } from "../state/location";
import { ExplorePage } from "./explore";
import { FleetPage } from "./fleet";
import { ServicePage } from "./service";
import { Shell } from "./shell";

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
];

export function App(): JSX.Element {
  const at = path.value.length > 1 ? path.value.replace(/\/$/, "") : path.value;
  for (const route of ROUTES) {
    const match = route.pattern.exec(at);
    if (match === null) continue;
    const id = decode(match[1] ?? "");
    return (
      <Shell isFilling={route.isFilling ?? false}>
        <Title text={route.title(id)} />
        {route.page(id)}
      </Shell>
    );
  }
  return (
    <Shell isFilling={false}>
      <div class="state"><strong>There is no page at {at}</strong><a href={hrefOf("/")}>Go to the fleet</a></div>
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
