// SPDX-License-Identifier: Apache-2.0
//
// Credentials of the user, kept as long as the tab is open.
import { signal } from "@preact/signals";
import { ApiError, type Credentials, getJson, NO_CREDENTIALS, setCredentials } from "../api/client";
import { refresh } from "./location";

const KEY = "flarestack.session";

// Why the server requires credentials; null when it does not.
export const refusal = signal<ApiError | null>(null);

function stored(): Credentials {
  try {
    const { authorization, tenant } = JSON.parse(window.sessionStorage.getItem(KEY) ?? "{}") as Partial<Credentials>;
    return { authorization: authorization ?? "", tenant: tenant ?? "" };
  } catch {
    return NO_CREDENTIALS; // storage is switched off, or somebody else's
  }
}

function store(credentials: Credentials): void {
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify(credentials));
  } catch {
    // It lasts as long as the page.
  }
}

let current = stored();
setCredentials(current);

// Who asks now. A question of somebody before may still be answered.
export const asker = (): Credentials => current;

export function sayRefused(error: ApiError, by: Credentials): void {
  if (by === current) refusal.value = error;
}

// UTF-8, as the server reads it; btoa() takes bytes alone.
export function basicAuthorization(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

// Null when the server takes them, else why not; then all stays as it was.
export async function signIn(credentials: Credentials): Promise<ApiError | null> {
  setCredentials(credentials);
  try {
    await getJson("services", [], new AbortController().signal);
  } catch (error) {
    setCredentials(current);
    return error instanceof ApiError ? error : new ApiError(0, "page", String(error), "", "");
  }
  current = credentials;
  store(credentials);
  refusal.value = null;
  refresh();
  return null;
}
