// SPDX-License-Identifier: Apache-2.0
//
// Shown instead of a page while the server requires credentials or a tenant.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ApiError } from "../../api/client";
import { basicAuthorization, signIn } from "../../state/session";
import { Panel, Tabs } from "../parts/parts";

type Kind = "token" | "user" | "none";
const KINDS: readonly (readonly [Kind, string])[] = [
  ["token", "Token"],
  ["user", "Username and password"],
  ["none", "Tenant only"],
];

export function SignIn({ reason }: { readonly reason: ApiError }): JSX.Element {
  const isAboutTenant = reason.message.includes("X-Scope-OrgID");
  const [kind, setKind] = useState<Kind>(isAboutTenant ? "none" : "token");
  const [token, setToken] = useState("");
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  const [tenant, setTenant] = useState("");
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const authorization =
    kind === "token" ? `Bearer ${token.trim()}` : kind === "user" ? basicAuthorization(user, password) : "";
  const isComplete =
    kind === "token" ? token.trim() !== "" : kind === "user" ? user !== "" && password !== "" : tenant.trim() !== "";
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isComplete) return;
    setBusy(true);
    setFailure(await signIn({ authorization, tenant: tenant.trim() }));
    setBusy(false);
  };
  return (
    <div class="sign-in">
      <div class="page-head">
        <h1>Sign in</h1>
      </div>
      <Panel title={isAboutTenant ? "Tenant required" : "Authentication required"}>
        <form class="fields" onSubmit={(event) => void submit(event)}>
          <p class="muted">Server: {reason.message}</p>
          <Tabs label="Sign-in method" options={KINDS} value={kind} onChoose={setKind} />
          {kind === "token" && <Field label="Token" value={token} type="password" complete="off" onInput={setToken} />}
          {kind === "user" && <Field label="Username" value={user} type="text" complete="username" onInput={setUser} />}
          {kind === "user" && (
            <Field
              label="Password"
              value={password}
              type="password"
              complete="current-password"
              onInput={setPassword}
            />
          )}
          <Field
            label={kind === "none" ? "Tenant" : "Tenant (multi-tenant servers only)"}
            value={tenant}
            type="text"
            complete="organization"
            onInput={setTenant}
          />
          {failure !== null && (
            <div class="note bad" role="alert">
              {failure.message}
            </div>
          )}
          <div class="row">
            <button type="submit" class="button primary" disabled={!isComplete || isBusy}>
              Sign in
            </button>
            <span class="faint">Kept until this tab is closed.</span>
          </div>
        </form>
      </Panel>
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly type: "text" | "password";
  readonly complete: string;
  readonly onInput: (value: string) => void;
}

function Field(props: FieldProps): JSX.Element {
  return (
    <label class="field">
      <span>{props.label}</span>
      <input
        type={props.type}
        value={props.value}
        autocomplete={props.complete}
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </label>
  );
}
