// SPDX-License-Identifier: Apache-2.0
//
// Pages whose scripts are loaded when they are first shown. The others follow once the browser has nothing to do, so
// that going to them does not wait, and works when the server was upgraded meanwhile.
import { signal } from "@preact/signals";
import type { JSX } from "preact";

type MakePage = (id: string) => JSX.Element;

export interface LazyPage {
  readonly load: () => Promise<boolean>; // whether it is there; as often as one likes, never rejected
  readonly Page: (props: { readonly id: string }) => JSX.Element | null;
}

export function lazyPage(importPage: () => Promise<MakePage>): LazyPage {
  const made = signal<MakePage | null>(null);
  const hasFailed = signal(false);
  let loading: Promise<boolean> | null = null;
  const take = async (): Promise<boolean> => {
    try {
      const page = await importPage();
      made.value = page;
      hasFailed.value = false;
      return true;
    } catch {
      hasFailed.value = true;
      loading = null;
      return false;
    }
  };
  const Page = ({ id }: { readonly id: string }): JSX.Element | null => {
    if (made.value !== null) return made.value(id);
    return hasFailed.value ? <NotLoaded /> : null;
  };
  return { load: () => (loading ??= take()), Page };
}

function NotLoaded(): JSX.Element {
  return (
    <div class="state" role="alert">
      <strong>This page could not be loaded</strong>
      <div>The server is unreachable or has been upgraded.</div>
      <button type="button" class="button" onClick={() => window.location.reload()}>
        Reload
      </button>
    </div>
  );
}

export const whenIdle = (work: () => void): void => {
  if ("requestIdleCallback" in window) window.requestIdleCallback(work);
  else setTimeout(work, 200);
};

// One by one, and no further after one that failed.
export function loadWhenIdle(pages: readonly LazyPage[]): void {
  const [next, ...others] = pages;
  if (next === undefined) return;
  whenIdle(() => void next.load().then((isThere) => isThere && loadWhenIdle(others)));
}
