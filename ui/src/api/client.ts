// SPDX-License-Identifier: Apache-2.0
//
// Requests to the server. URLs are relative to the <base> of the page, so that the UI works under any path of a reverse
// proxy.

import type { Empty, Meta as WholeMeta } from "./types";

export type { Empty };
export type Meta = Partial<WholeMeta>; // binary responses may lack it

export interface Answered {
  readonly meta?: Meta;
  readonly empty?: Empty;
}

export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number, // 0: the server is unreachable
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly requestId: string,
  ) {
    super(message);
  }
}

// Sent with each request if the server requires it: "Bearer ..." or "Basic ...", and the tenant.
export interface Credentials {
  readonly authorization: string;
  readonly tenant: string;
}

export const NO_CREDENTIALS: Credentials = { authorization: "", tenant: "" };
let credentials = NO_CREDENTIALS;

export function setCredentials(to: Credentials): void {
  credentials = to;
}

// The browser does not send them for a plain link, so its target must be fetched.
export const hasCredentials = (): boolean => credentials.authorization !== "" || credentials.tenant !== "";

function headersOf(init: RequestInit): Headers {
  const headers = new Headers(init.headers);
  headers.set("X-Requested-With", "XMLHttpRequest"); // no password prompt of the browser: the page has its own
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
    // Not from our server, but probably from a proxy. Report the status only.
  }
  return new ApiError(
    response.status,
    "",
    `the server responded with ${response.status} ${response.statusText}`,
    "",
    response.headers.get("X-Request-Id") ?? "",
  );
}

async function request(url: string, init: RequestInit): Promise<Response> {
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
  const response = await request(apiUrl(path, parameters), { signal, headers: { Accept: "application/json" } });
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
  const response = await request(apiUrl(path, parameters), { signal, headers: { Accept: type } });
  let meta: Meta = {};
  try {
    meta = JSON.parse(response.headers.get("Flarestack-Meta") ?? "{}") as Meta;
  } catch {
    // Optional.
  }
  return { buffer: await response.arrayBuffer(), meta };
}

export async function send<T>(
  method: "POST" | "PUT" | "DELETE",
  path: string,
  parameters: Parameters,
  body: BodyInit | null,
): Promise<T> {
  const response = await request(apiUrl(path, parameters), { method, body });
  return (await response.json()) as T;
}
