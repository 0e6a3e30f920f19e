// SPDX-License-Identifier: Apache-2.0
//
// The guide through a demonstration: a strip below the scope bar, on every page. It only points. Each step is a link to
// a page as anybody could have reached it, so that there is nothing to unlearn.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Guide, GuideStep, Health } from "../api/types";
import { parseState } from "../profile/url_state";
import { guideName, progressOf, setProgress, stepAt } from "../state/guide";
import { hrefOf, path, urlState } from "../state/location";
import { useApi } from "../state/resource";
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
  const choose = (index: number): void => setProgress({ guide: guideName(steps), step: index, isAway: false });
  return (
    <aside class="guide" aria-label="Guide">
      <div class="row">
        <b class="clip guide-title">{data.title}</b>
        <ol class="grow">
          {steps.map((one, i) => (
            <li key={one.title}>
              <a href={hrefOfStep(one)} aria-current={i === at ? "step" : undefined} class={i < at ? "done" : ""} title={one.title} aria-label={`${i + 1} ${one.title}`} onClick={() => choose(i)}>
                <span class="ordinal">{i + 1}</span> <span class="step-title">{one.title}</span>
              </a>
            </li>
          ))}
        </ol>
        <button class="button ghost" aria-label="Send the guide away" title="Send the guide away; the button in the bar above brings it back" onClick={() => setProgress({ ...progress, step: at, isAway: true })}>×</button>
      </div>
      <div class="row guide-text">
        <StepText text={step.text} />
        {here < 0 && step.path !== "" && <a class="button" href={hrefOfStep(step)}>Go there</a>}
        {next !== undefined && <a class="button primary" href={hrefOfStep(next)} onClick={() => choose(at + 1)}>Next: {next.title}</a>}
      </div>
      {next === undefined && <OwnProgram />}
    </aside>
  );
}

const StepText = ({ text }: { readonly text: string }): JSX.Element => <p class="grow" role="status">{text}</p>;

// The end of the guide is the beginning of one's own.
function OwnProgram(): JSX.Element {
  const endpoint = otlpEndpoint(useApi<Health>("health").data);
  return (
    <div class="own-program">
      <Command what="Record a command" command="sudo flarestack record -- ./your-program" />
      <Command what="Record this host, and look at it here" command="sudo flarestack up" />
      <Command what="Compare two recordings" command="flarestack diff before.otlp.zst after.otlp.zst" />
      <Command what="Let an OpenTelemetry SDK or a collector send" command={otlpEnvironment(endpoint)} />
    </div>
  );
}

// Brings the guide back; in the bar of all pages where there is one.
export function GuideButton(): JSX.Element | null {
  const steps = useSteps();
  const progress = progressOf(steps);
  if (steps.length === 0 || !progress.isAway) return null;
  return <button class="button ghost" onClick={() => setProgress({ ...progress, isAway: false })}>Guide</button>;
}
