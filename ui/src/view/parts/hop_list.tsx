// SPDX-License-Identifier: Apache-2.0
//
// Links to related data, each with its quality and count.
import type { JSX } from "preact";
import type { Parameters } from "../../api/client";
import type { Link, Links } from "../../api/types";
import { formatCount } from "../../profile/cost/units";
import { typeLabel } from "../../profile/query/profile_type";
import { type Hop, hopOf } from "../../state/hops";
import { hrefOf } from "../../state/location";
import { useApi } from "../../state/resource";
import { Quality, Shown } from "./parts";

const NOUN: Readonly<Record<string, string>> = {
  trace: "Trace",
  profile: "Profile",
  logs: "Logs",
  metric: "Metrics",
  diff: "Compare",
};

const OF_EACH = 3; // so that a hundred traces of a function do not hide other links

function fewOfEach(links: readonly Link[]): Link[] {
  const seen = new Map<string, number>();
  return links.filter((link) => {
    const key = `${link.to} ${link.what}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return (seen.get(key) ?? 0) <= OF_EACH;
  });
}

// Distinguishes links of the same kind: the type of a profile, the id of a trace.
function whichOf(link: Link, hop: Hop): string {
  if (link.to === "profile" && hop.state.type !== "") return typeLabel(hop.state.type);
  return hop.path.startsWith("/trace/") ? hop.path.slice("/trace/".length, "/trace/".length + 8) : "";
}

export function HopList({
  parameters,
  limit = 14,
}: {
  readonly parameters: Parameters | null;
  readonly limit?: number;
}): JSX.Element {
  const links = useApi<Links>(parameters === null ? null : "links", parameters ?? []);
  return (
    <Shown of={links}>
      {(data) => (
        <div class="link-list">
          {fewOfEach(data.links)
            .slice(0, limit)
            .map((link) => {
              const hop = hopOf(link.url);
              if (hop === null) return null;
              return (
                <a key={link.url + link.what} href={hrefOf(hop.path, hop.state)}>
                  <span>
                    <b>{NOUN[link.to] ?? link.to}</b> {whichOf(link, hop)} <span class="muted">{link.what}</span>
                  </span>
                  <span class="number muted">
                    {formatCount(link.count)}
                    {link.is_capped ? "+" : ""}
                  </span>
                  <Quality of={link.quality} />
                </a>
              );
            })}
          {data.links.length > Math.min(limit, fewOfEach(data.links).length) && (
            <span class="faint">and {data.links.length - Math.min(limit, fewOfEach(data.links).length)} more</span>
          )}
        </div>
      )}
    </Shown>
  );
}
