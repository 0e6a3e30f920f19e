// SPDX-License-Identifier: Apache-2.0
//
// Credentials of the user, stored until the tab is closed.
import { signal } from "@preact/signals";
import { ApiError, type Credentials, getJson, NO_CREDENTIALS, setCredentials } from "../api/client";
import { refresh } from "./location";

const KEY = "flarestack.session";

// The authentication error of the server; null unless the user must sign in.
export const rejection = signal<ApiError | null>(null);

function stored(): Credentials {
  try {
    const { authorization, tenant } = JSON.parse(window.sessionStorage.getItem(KEY) ?? "{}") as Partial<Credentials>;
    return { authorization: authorization ?? "", tenant: tenant ?? "" };
  } catch {
    return NO_CREDENTIALS; // storage is disabled, or has foreign content
  }
}

function store(credentials: Credentials): void {
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify(credentials));
  } catch {
    // Storage is disabled: keep them only while the page is open.
  }
}

let current = stored();
setCredentials(current);

// Identifies the current session. Requests of a previous one may still be pending.
export const sessionId = (): Credentials => current;

export function reportRejected(error: ApiError, session: Credentials): void {
  if (session === current) rejection.value = error;
}

// UTF-8, as the server expects; btoa() accepts only bytes.
export function basicAuthorization(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

// Returns null if the server accepts the credentials. Otherwise returns the error and changes nothing.
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
  rejection.value = null;
  refresh();
  return null;
}
