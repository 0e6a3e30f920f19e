// SPDX-License-Identifier: Apache-2.0
//
// The frame of every page: navigation, and the scope bar (selector, type, time range).
import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { send } from "../../api/client";
import type { Health, Services, ShortLink } from "../../api/types";
import { defaultTypeOf, isSameType, typeLabel } from "../../profile/query/profile_type";
import { exactValue, withMatch } from "../../profile/query/selector";
import { scopeOf } from "../../profile/query/url_state";
import { isQuiet, refreshNow } from "../../state/auto_refresh";
import { BINDINGS, useKeys } from "../../state/keys";
import { frozenHref, go, hrefKeepingScope, hrefOf, path, update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { rejection } from "../../state/session";
import { knowServices, theme, toggleTheme } from "../../state/theme";
import { nameOf, useUpload } from "../../state/upload";
import { Brand, Icon, type IconName } from "../parts/icons";
import { MenuButton, type MenuEntry } from "../parts/menu";
import { Modal } from "../parts/modal";
import { copyText, say, toast } from "../parts/parts";
import { GuideButton, GuideStrip } from "../start/guide";
import { GoAnywhere } from "./palette_dialog";
import { SelectorField } from "./selector_field";
import { SignIn } from "./sign_in";
import { Refresh, TimeRange } from "./time_picker";

const PAGES: readonly (readonly [string, string, IconName])[] = [
  ["/", "Fleet", "fleet"],
  ["/explore", "Explore", "explore"],
  ["/diff", "Compare", "diff"],
  ["/traces", "Traces", "traces"],
  ["/charts", "Metrics", "metrics"],
  ["/logs", "Logs", "logs"],
  ["/profiles", "Profiles", "profiles"],
];
const TOOLS: readonly (readonly [string, string, IconName])[] = [
  ["/open", "Open a file", "open"],
  ["/symbols", "Symbols", "symbols"],
  ["/health", "Server", "health"],
];

const isHelpOpen = signal(false);
const PARENTS: Readonly<Record<string, string>> = { trace: "/traces", service: "/", fn: "/explore" };

interface ShellProps {
  readonly children: ComponentChildren;
  readonly isFilling: boolean;
  readonly partsMade: number; // 1: navigation; 2: also the scope bar
}

export function Shell({ children, isFilling, partsMade }: ShellProps): JSX.Element {
  useKeys({
    "?": () => (isHelpOpen.value = true),
    "/": () => document.querySelector<HTMLInputElement>('input[type="search"]')?.focus(),
    R: refreshNow,
    y: copyLink,
    T: toggleTheme,
    g: () => go("/", scopeOf(urlState.peek())),
  });
  const [isGoing, setGoing] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || (!event.ctrlKey && !event.metaKey)) return;
      event.preventDefault();
      setGoing(true);
    };
    document.addEventListener("keydown", open);
    return () => document.removeEventListener("keydown", open);
  }, []);
  const [isNarrow, setNarrow] = useState(window.innerWidth < 1120);
  return (
    <div class={`shell ${isNarrow ? "narrow" : ""} ${isQuiet.value ? "quiet" : ""}`}>
      {/* biome-ignore lint/a11y/useValidAnchor: it jumps within this page */}
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault(); // the <base> of the page would change its URL
          document.getElementById("main")?.focus();
        }}
      >
        Skip to content
      </a>
      <nav class="rail" aria-label="Pages">
        <a class="brand" href={hrefKeepingScope("/", { scratch: "" })} title="Flarestack">
          <Brand /> <span class="label">Flarestack</span>
        </a>
        {PAGES.map((page) => (
          <RailItem key={page[0]} page={page} />
        ))}
        <div class="divider" />
        {TOOLS.map((page) => (
          <RailItem key={page[0]} page={page} />
        ))}
        <div class="grow" />
        <button
          type="button"
          class="button ghost"
          aria-label={isNarrow ? "Expand navigation" : "Collapse navigation"}
          onClick={() => setNarrow(!isNarrow)}
        >
          {isNarrow ? "»" : "«"}
        </button>
      </nav>
      {partsMade >= 2 && <ScopeBar />}
      {partsMade >= 2 && <GuideStrip />}
      <main id="main" tabIndex={-1} class={isFilling ? "fill" : ""}>
        {urlState.value.isNewer && (
          <div class="note">This link was created by a newer Flarestack; parts of it are not shown.</div>
        )}
        {rejection.value === null ? children : <SignIn reason={rejection.value} />}
      </main>
      {isHelpOpen.value && <Help />}
      {isGoing && <GoAnywhere onClose={() => setGoing(false)} />}
      {toast.value !== "" && (
        <div class="toast" role="status">
          {toast.value}
        </div>
      )}
    </div>
  );
}

function RailItem({ page: [to, label, icon] }: { readonly page: readonly [string, string, IconName] }): JSX.Element {
  const first = path.value.split("/")[1] ?? "";
  const isCurrent = path.value === to || PARENTS[first] === to;
  return (
    <a class="item" href={hrefKeepingScope(to)} aria-current={isCurrent ? "page" : undefined} title={label}>
      <Icon name={icon} /> <span class="label grow">{label}</span>
      {to === "/health" && <Alarm />}
    </a>
  );
}

// Server problems, shown on every page.
function Alarm(): JSX.Element | null {
  const { data } = useApi<Health>("health");
  if (data === null || data.status === "ok") return null;
  return (
    <i
      class={`alarm ${data.status}`}
      role="img"
      aria-label={data.status}
      title={data.problems.map((problem) => problem.message).join("\n")}
    />
  );
}

function ScopeBar(): JSX.Element {
  const state = urlState.value;
  const services = useApi<Services>("services", state.scratch === "" ? [] : [["scratch", state.scratch]]);
  const current = exactValue(state.q, "service.name");
  const names = (services.data?.services ?? []).map((service) => service.service).filter((name) => name !== "");
  useEffect(() => knowServices(names), [services.data]);
  const upload = useUpload();
  const types = [
    ...new Set(
      (services.data?.services ?? [])
        .filter((service) => current === "" || service.service === current)
        .flatMap((service) => service.types),
    ),
  ].sort();
  const ownType = upload?.default_type ?? defaultTypeOf(types);
  return (
    <div class="scope-bar" role="region" aria-label="Scope">
      {state.scratch !== "" ? (
        <span class="chip" title={upload?.name}>
          {nameOf(upload)}{" "}
          <button type="button" aria-label="Close file" onClick={() => update({ scratch: "" })}>
            ×
          </button>
        </span>
      ) : (
        <select
          aria-label="Service"
          value={current}
          onChange={(event) =>
            update({ q: withMatch(state.q, "service.name", event.currentTarget.value), z: "", zn: "" })
          }
        >
          <option value="">All services</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
          {current !== "" && !names.includes(current) && <option value={current}>{current}</option>}
        </select>
      )}
      <select
        aria-label="Profile type"
        value={state.type}
        onChange={(event) => update({ type: event.currentTarget.value, z: "", zn: "" })}
      >
        <option value="">{typeLabel(ownType)}</option>
        {types
          .filter((type) => !isSameType(type, ownType))
          .map((type) => (
            <option key={type} value={type}>
              {typeLabel(type)}
            </option>
          ))}
        {state.type !== "" && (!types.includes(state.type) || isSameType(state.type, ownType)) && (
          <option value={state.type}>{typeLabel(state.type)}</option>
        )}
      </select>
      <SelectorField />
      <div class="grow" />
      {(state.scratch === "" || state.from !== "now-1h") && <TimeRange />}
      <Refresh />
      <LinkMenu />
      <GuideButton />
      <button
        type="button"
        class="button ghost"
        title="Switch theme (T)"
        aria-label={theme.value === "dark" ? "Light theme" : "Dark theme"}
        onClick={toggleTheme}
      >
        <Icon name="theme" />
      </button>
      <button
        type="button"
        class="button ghost"
        title="Keyboard shortcuts (?)"
        aria-label="Help"
        onClick={() => (isHelpOpen.value = true)}
      >
        <Icon name="help" />
      </button>
    </div>
  );
}

function copyLink(): void {
  void copyText(new URL(frozenHref(), window.location.href).href, "Link");
}

async function shortLink(): Promise<void> {
  try {
    const base = new URL(document.baseURI).pathname.replace(/\/$/, "");
    const link = await send<ShortLink>(
      "POST",
      "shortlinks",
      [],
      JSON.stringify({ url: frozenHref().slice(base.length) }),
    );
    await copyText(new URL(hrefOf(link.url), window.location.href).href, "Short link");
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

const LINK_ENTRIES: readonly MenuEntry[] = [
  { label: "Copy link (fixed time)", key: "y", run: copyLink },
  { label: "Copy link (relative time)", run: () => void copyText(window.location.href, "Link") },
  { label: "Copy short link", run: () => void shortLink() },
];

function LinkMenu(): JSX.Element {
  const button = (
    <>
      <Icon name="link" /> Share
    </>
  );
  return <MenuButton button={button} title="Copy a link to this view (y)" label="Share" entries={() => LINK_ENTRIES} />;
}

const HELP_TITLES = {
  everywhere: "All pages",
  profile: "Profile",
  "flame graph": "Flame graph",
  trace: "Trace",
} as const;

function Help(): JSX.Element {
  const close = (): void => {
    isHelpOpen.value = false;
  };
  return (
    <Modal label="Keyboard shortcuts" onClose={close}>
      <div class="page-head">
        <h1 class="grow">Keyboard shortcuts</h1>
        <button type="button" class="button" onClick={close}>
          Close
        </button>
      </div>
      <div class="grid">
        {(["everywhere", "profile", "flame graph", "trace"] as const).map((where) => (
          <div class="w4" key={where}>
            <h2>{HELP_TITLES[where]}</h2>
            <dl class="facts">
              {BINDINGS.filter((binding) => binding.where === where).map((binding) => [
                <dt key={binding.key}>
                  <kbd>{binding.key}</kbd>
                </dt>,
                <dd key={binding.what}>{binding.what}</dd>,
              ])}
            </dl>
          </div>
        ))}
      </div>
    </Modal>
  );
}
