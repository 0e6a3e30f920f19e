// SPDX-License-Identifier: Apache-2.0
//
// The guide of the demo: a strip below the scope bar, on every page. Each step is only a link to a regular page in a
// state that users can reach by themselves.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Guide, GuideStep, Health } from "../../api/types";
import { parseState } from "../../profile/query/url_state";
import { guideName, progressOf, setProgress, stepAt } from "../../state/guide";
import { hrefOf, path, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { Command, otlpEnvironment } from "./command";
import { otlpEndpoint } from "./first_steps";

const NO_STEPS: readonly GuideStep[] = [];
const useSteps = (): readonly GuideStep[] => useApi<Guide>("guide").data?.steps ?? NO_STEPS;

const hrefOfStep = (step: GuideStep): string => {
  const [to = "", search = ""] = step.path.split("?");
  return hrefOf(to === "" ? "/" : to, parseState(search));
};

export function GuideStrip(): JSX.Element | null {
  const { data } = useApi<Guide>("guide");
  const steps = data?.steps ?? NO_STEPS;
  const progress = progressOf(steps);
  const here = stepAt(steps, path.value, urlState.value);
  const at = Math.min(here >= 0 ? here : progress.step, steps.length - 1);
  useEffect(() => {
    if (here >= 0 && here !== progress.step) setProgress({ ...progress, step: here });
  }, [here]);
  const step = steps[at];
  if (data === null || step === undefined || progress.isAway) return null;
  const next = steps[at + 1];
  const isElsewhere = here < 0 && step.path !== "";
  const fold = progress.isFolded ? "Expand guide" : "Collapse guide";
  return (
    <aside class={`guide ${progress.isFolded ? "folded" : ""}`} aria-label="Guide">
      <div class="row guide-bar">
        <b class="guide-title">{data.title}</b>
        <ol class="grow">
          {steps.map((one, i) => (
            <li key={one.title}>
              <a
                href={hrefOfStep(one)}
                aria-current={i === at ? "step" : undefined}
                class={i < at ? "done" : ""}
                title={one.title}
                aria-label={`${i + 1} ${one.title}`}
                onClick={() => chooseLast(steps, i)}
              >
                <span class="ordinal">{i + 1}</span> <span class="step-title">{one.title}</span>
              </a>
            </li>
          ))}
        </ol>
        <button
          type="button"
          class="button ghost"
          aria-expanded={!progress.isFolded}
          aria-label={fold}
          title={fold}
          onClick={() => setProgress({ ...progress, step: at, isFolded: !progress.isFolded })}
        >
          {progress.isFolded ? "▾" : "▴"}
        </button>
        <button
          type="button"
          class="button ghost"
          aria-label="Hide guide"
          title="Hide guide; Guide in the top bar shows it again"
          onClick={() => setProgress({ ...progress, step: at, isAway: true })}
        >
          ×
        </button>
      </div>
      <div class="row guide-text">
        {!progress.isFolded && <StepText text={step.text} />}
        {isElsewhere && (
          <a class="button primary" href={hrefOfStep(step)}>
            Go to this step
          </a>
        )}
        {next !== undefined && (
          <a
            class={`button ${isElsewhere ? "" : "primary"}`}
            href={hrefOfStep(next)}
            aria-label={`Next: ${next.title}`}
            onClick={() => chooseLast(steps, at + 1)}
          >
            <span>
              Next<span class="next-title">: {next.title}</span>
            </span>
          </a>
        )}
      </div>
      {next === undefined && !progress.isFolded && <OwnProgram />}
    </aside>
  );
}

// Navigation to the page of a step selects it. Selecting it in the click too would rerender the strip before the browser
// follows the link, which would then point to the step after it.
function chooseLast(steps: readonly GuideStep[], index: number): void {
  if (steps[index]?.path === "") setProgress({ ...progressOf(steps), guide: guideName(steps), step: index });
}

const StepText = ({ text }: { readonly text: string }): JSX.Element => (
  <p class="grow" role="status">
    {text}
  </p>
);

// The last step: commands for the user's own programs.
function OwnProgram(): JSX.Element {
  const endpoint = otlpEndpoint(useApi<Health>("health").data);
  return (
    <div class="own-program">
      <Command what="Record a command" command="sudo flarestack record -- ./your-program" />
      <Command what="Profile this host and view it here" command="sudo flarestack up" />
      <Command what="Compare two recordings" command="flarestack diff before.otlp.zst after.otlp.zst" />
      <Command what="Send data from an OpenTelemetry SDK or Collector" command={otlpEnvironment(endpoint)} />
    </div>
  );
}

// Shows a hidden guide again. In the top bar of all pages, if there is a guide.
export function GuideButton(): JSX.Element | null {
  const steps = useSteps();
  const progress = progressOf(steps);
  if (steps.length === 0 || !progress.isAway) return null;
  return (
    <button type="button" class="button ghost" onClick={() => setProgress({ ...progress, isAway: false })}>
      Guide
    </button>
  );
}
