import { labelOf } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { Channel, Check, Entity } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { Page } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Data } from '#console/parts/states.tsx';
import { pathTo } from '#console/rules/address.ts';
import { currentStep, readStart } from '#console/rules/start.ts';
import { ChannelStep } from './channel-step.tsx';
import { CheckStep } from './check-step.tsx';
import { EntityStep } from './entity-step.tsx';
import { PushInstructions } from './pushing.tsx';
import { Step } from './step.tsx';
import { TestStep } from './test-step.tsx';

/** Page of the first steps, up to a delivered test alert. The address holds the progress, so a reload loses nothing. */
export default function StartPage({ query }: PageProps) {
  const made = readStart(query);
  const current = currentStep(made);
  const entity = useLoad<Entity>(made.entity ? pathTo('/v1/blueprints/:blueprint/entities/:slug', made.entity) : null);
  const check = useLoad<Check>(made.check ? `/v1/checks/${made.check}` : null, {
    about: ({ check_id }) => check_id === made.check,
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
        Four steps to your first alert. Each step is an API request, shown next to it. To run it without this page, set{' '}
        <code>FLEETWATCH_KEY</code> to <a href="#/settings/keys">an API key</a>.
      </p>
      <ol class="steps">
        <Step
          number={1}
          title="Add an entity"
          current={current}
          outcome={entity.data && <EntityLink of={entity.data} />}
        >
          <EntityStep />
        </Step>
        <Step number={2} title="Add a check" current={current} outcome={check.data && <CheckLine of={check.data} />}>
          <Data of={entity}>{(found) => <CheckStep entity={found} />}</Data>
        </Step>
        <Step number={3} title="Add a channel" current={current} outcome={<ChannelLine of={made.channel} />}>
          <Data of={check}>{(found) => <ChannelStep check={found} />}</Data>
        </Step>
        <Step number={4} title="Send a test alert" current={current}>
          <Data of={check}>{(found) => <TestStep check={found} channel={made.channel ?? ''} />}</Data>
        </Step>
      </ol>
    </Page>
  );
}

const EntityLink = ({ of: { name, blueprint_slug, slug } }: { of: Entity }) => (
  <a href={`#${pathTo('/entities/:blueprint/:slug', { blueprint: blueprint_slug, slug })}`}>
    <bdi>{name}</bdi>
  </a>
);

const CheckLine = ({ of: check }: { of: Check }) => (
  <>
    <p>
      <a href={`#/checks/${check.id}`}>
        <bdi>{labelOf(check)}</bdi>
      </a>{' '}
      <StateMark state={check.state} />
    </p>
    {check.execution_mode === 'push' && check.state === 'unknown' && <PushInstructions check={check} />}
  </>
);

const ChannelLine = ({ of: id }: { of: Channel['id'] | undefined }) => (
  <p>
    Channel <code>{id}</code>
  </p>
);
