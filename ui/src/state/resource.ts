// SPDX-License-Identifier: Apache-2.0
//
// The data of a panel: the response to a request, which is repeated when the request or the clock changes. The last
// response stays until the next one arrives, and obsolete requests are cancelled.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, getJson, type Parameters } from "../api/client";
import { nowMs } from "./location";
import { reportRejected, sessionId } from "./session";

export interface Resource<T> {
  readonly data: T | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
}

// Pending requests of all panels.
export const pendingCount = signal(0);

const RETRY_MS = 3000;
const CACHE_MAX = 40;
const cache = new Map<string, unknown>();

function remember(key: string, value: unknown): void {
  cache.delete(key);
  cache.set(key, value);
  const oldest = cache.keys().next();
  if (cache.size > CACHE_MAX && oldest.done !== true) cache.delete(oldest.value);
}

const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError(0, "page", error instanceof Error ? error.message : String(error), "", "");

// `key` identifies the request; null sends none. `load` must load the data of the current key.
export function useResource<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const clock = nowMs.value;
  const fullKey = key === null ? null : `${clock} ${key}`;
  const [response, setResponse] = useState<{ key: string; data: T | null; error: ApiError | null } | null>(null);
  const loader = useRef(load);
  loader.current = load;
  useEffect(() => {
    if (fullKey === null) return;
    if (cache.has(fullKey)) {
      // Another panel may have received the response since this one was drawn.
      setResponse({ key: fullKey, data: cache.get(fullKey) as T, error: null });
      return;
    }
    const abort = new AbortController();
    let timer = 0;
    const attempt = (): void => {
      const session = sessionId();
      ++pendingCount.value;
      loader
        .current(abort.signal)
        .finally(() => --pendingCount.value)
        .then(
          (data) => {
            remember(fullKey, data);
            if (!abort.signal.aborted) setResponse({ key: fullKey, data, error: null });
          },
          (error: unknown) => {
            if (abort.signal.aborted) return;
            const failure = asApiError(error);
            setResponse((before) => ({ key: fullKey, data: before?.data ?? null, error: failure }));
            if (failure.status === 401) reportRejected(failure, session);
            if (failure.code === "unreachable") timer = window.setTimeout(attempt, RETRY_MS);
          },
        );
    };
    attempt();
    return () => {
      abort.abort();
      window.clearTimeout(timer);
    };
  }, [fullKey]);
  if (fullKey === null) return { data: null, error: null, isLoading: false };
  if (cache.has(fullKey)) return { data: cache.get(fullKey) as T, error: null, isLoading: false };
  if (response?.key === fullKey) return { data: response.data, error: response.error, isLoading: false };
  return { data: response?.data ?? null, error: null, isLoading: true };
}

export function useApi<T>(path: string | null, parameters: Parameters = []): Resource<T> {
  const key = path === null ? null : `${path}?${new URLSearchParams(parameters.map(([k, v]) => [k, v])).toString()}`;
  return useResource<T>(key, (signal) => getJson<T>(path ?? "", parameters, signal));
}
