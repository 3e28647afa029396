import { call } from '#console/api/call.ts';
import { labelOf } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { Check, DefaultPolicy } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { setQuery } from '#console/app/router.ts';
import { MonitorForm } from '#console/pages/check-form/monitor-form.tsx';
import { Page } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { missingRecommendations, RECOMMENDED_POLICY } from '#console/rules/monitor.ts';
import { readStart } from '#console/rules/start.ts';
import { Calls } from './calls.tsx';
import { PushInstructions } from './push-instructions.tsx';
import { Step } from './step.tsx';
import { TestStep } from './test-step.tsx';

const POLICY = '/v1/notify/policy';

async function setPolicy(): Promise<void> {
  const { inherited } = await call<DefaultPolicy>('GET', POLICY);
  const missing = missingRecommendations(inherited);
  if (Object.keys(missing).length > 0) await call('PUT', POLICY, missing);
}

/** Page of the first steps, up to a delivered test alert. The address holds the progress, so a reload loses nothing. */
export default function StartPage({ query }: PageProps) {
  const created = readStart(query);
  const current = created.check ? 2 : 1;
  const check = useLoad<Check>(created.check ? `/v1/checks/${created.check}` : null, {
    about: ({ check_id }) => check_id === created.check,
  });
  return (
    <Page
      title="First steps"
      actions={
        <a class="button small" href="#/">
          Skip
        </a>
      }
    >
      <p class="lead">
        Two steps to your first alert. The API requests of a step are shown next to it. To send them yourself, set{' '}
        <code>FLEETWATCH_KEY</code> to <a href="#/settings/keys">an API key</a>.
      </p>
      <ol class="steps">
        <Step number={1} title="Monitor a URL" current={current} outcome={check.data && <CheckLine of={check.data} />}>
          <FirstMonitor />
        </Step>
        <Step number={2} title="Send a test alert" current={current}>
          {created.channel ? (
            <TestStep check={created.check!} channel={created.channel} />
          ) : (
            <p>
              No channel receives the alerts. <a href="#/alerts/channels">Add a channel</a> and test it there, or{' '}
              <a href={`#/checks/${created.check}`}>open the check</a>.
            </p>
          )}
        </Step>
      </ol>
    </Page>
  );
}

const FirstMonitor = () => (
  <>
    <p class="above-form">
      This also sets the recommended <a href="#/alerts/defaults">default policy</a>: recoveries are sent at once. A
      check that changes its state {RECOMMENDED_POLICY.flap_threshold} times within an hour counts as flapping: one
      alert reports it, and further alerts are suppressed.
    </p>
    <div class="step-body">
      <MonitorForm
        before={setPolicy}
        onCreated={({ check, channels }) => setQuery({ check: check.id, channel: channels[0]?.id })}
      >
        {(body) => (
          <Calls
            of={[
              { method: 'PUT', path: POLICY, body: RECOMMENDED_POLICY },
              { method: 'POST', path: '/v1/monitors', body },
            ]}
          />
        )}
      </MonitorForm>
    </div>
  </>
);

const CheckLine = ({ of: check }: { of: Check }) => (
  <>
    <p>
      <a href={`#/checks/${check.id}`}>
        <bdi>
          {check.entity}: {labelOf(check)}
        </bdi>
      </a>{' '}
      <StateMark state={check.state} />
    </p>
    {check.execution_mode === 'push' && check.state === 'unknown' && <PushInstructions check={check} />}
  </>
);
