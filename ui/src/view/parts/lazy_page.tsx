// SPDX-License-Identifier: Apache-2.0
//
// Pages whose scripts are loaded when first shown. The browser loads the others when idle, so that navigation is fast and
// works after the server was upgraded.
import { signal } from "@preact/signals";
import type { JSX } from "preact";

type MakePage = (id: string) => JSX.Element;

export interface LazyPage {
  readonly load: () => Promise<boolean>; // true if loaded; idempotent, never rejects
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

// Loads one by one, and stops at the first failure.
export function loadWhenIdle(pages: readonly LazyPage[]): void {
  const [next, ...others] = pages;
  if (next === undefined) return;
  whenIdle(() => void next.load().then((isThere) => isThere && loadWhenIdle(others)));
}
