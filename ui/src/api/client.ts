// SPDX-License-Identifier: Apache-2.0
//
// Asks the server. Addresses are relative to the <base> of the page, so that all works below the path of a reverse
// proxy.

import type { Empty, Meta as WholeMeta } from "./types";

export type { Empty };
export type Meta = Partial<WholeMeta>; // a response in bytes may come without

export interface Answered {
  readonly meta?: Meta;
  readonly empty?: Empty;
}

export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number, // 0: the server was not reached
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly requestId: string,
  ) {
    super(message);
  }
}

// What each question carries, where the server asks for it: "Bearer ..." or "Basic ...", and whose data it is about.
export interface Credentials {
  readonly authorization: string;
  readonly tenant: string;
}

export const NO_CREDENTIALS: Credentials = { authorization: "", tenant: "" };
let credentials = NO_CREDENTIALS;

export function setCredentials(to: Credentials): void {
  credentials = to;
}

// A plain link carries none of them: what it leads to has to be fetched.
export const hasCredentials = (): boolean => credentials.authorization !== "" || credentials.tenant !== "";

function headersOf(init: RequestInit): Headers {
  const headers = new Headers(init.headers);
  headers.set("X-Requested-With", "XMLHttpRequest"); // the page asks for credentials itself; the browser need not
  if (credentials.authorization !== "") headers.set("Authorization", credentials.authorization);
  if (credentials.tenant !== "") headers.set("X-Scope-OrgID", credentials.tenant);
  return headers;
}

export type Parameters = readonly (readonly [string, string])[];

export function apiUrl(path: string, parameters: Parameters = []): string {
  const query = new URLSearchParams(parameters.map(([key, value]) => [key, value])).toString();
  return new URL(`api/v1/${path}${query === "" ? "" : `?${query}`}`, document.baseURI).href;
}

async function failure(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as { code?: string; message?: string; hint?: string; request_id?: string };
    if (body.message !== undefined)
      return new ApiError(response.status, body.code ?? "", body.message, body.hint ?? "", body.request_id ?? "");
  } catch {
    // Not of our server: a proxy, most likely. Its status is all there is to say.
  }
  return new ApiError(
    response.status,
    "",
    `the server answered ${response.status} ${response.statusText}`,
    "",
    response.headers.get("X-Request-Id") ?? "",
  );
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, headers: headersOf(init), credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(
      0,
      "unreachable",
      "the server cannot be reached",
      "check that it is running; this page retries automatically",
      "",
    );
  }
  if (!response.ok) throw await failure(response);
  return response;
}

export async function getJson<T>(path: string, parameters: Parameters, signal: AbortSignal): Promise<T> {
  const response = await ask(apiUrl(path, parameters), { signal, headers: { Accept: "application/json" } });
  return (await response.json()) as T;
}

export interface Bytes {
  readonly buffer: ArrayBuffer;
  readonly meta: Meta;
}

export async function getBytes(
  path: string,
  parameters: Parameters,
  type: string,
  signal: AbortSignal,
): Promise<Bytes> {
  const response = await ask(apiUrl(path, parameters), { signal, headers: { Accept: type } });
  let meta: Meta = {};
  try {
    meta = JSON.parse(response.headers.get("Flarestack-Meta") ?? "{}") as Meta;
  } catch {
    // The picture does not need it.
  }
  return { buffer: await response.arrayBuffer(), meta };
}

export async function send<T>(
  method: "POST" | "PUT" | "DELETE",
  path: string,
  parameters: Parameters,
  body: BodyInit | null,
): Promise<T> {
  const response = await ask(apiUrl(path, parameters), { method, body });
  return (await response.json()) as T;
}
