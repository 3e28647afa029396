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
import { Pushing } from './pushing.tsx';
import { Step } from './step.tsx';
import { TestStep } from './test-step.tsx';

/**
 * The first run, from nothing to an alert that has arrived. How far one is stands in the address, and what was made is
 * read from there again: a reload loses nothing.
 */
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
        From nothing to an alert that has arrived. Each step is a call of the API, which stands beside it: set{' '}
        <code>FLEETWATCH_KEY</code> to <a href="#/settings/keys">an API key</a> to do it without this page.
      </p>
      <ol class="steps">
        <Step
          number={1}
          title="What do you run?"
          current={current}
          outcome={entity.data && <EntityLink of={entity.data} />}
        >
          <EntityStep />
        </Step>
        <Step
          number={2}
          title="How is it checked?"
          current={current}
          outcome={check.data && <CheckLine of={check.data} />}
        >
          <Data of={entity}>{(found) => <CheckStep entity={found} />}</Data>
        </Step>
        <Step number={3} title="Who is told?" current={current} outcome={<ChannelLine of={made.channel} />}>
          <Data of={check}>{(found) => <ChannelStep check={found} />}</Data>
        </Step>
        <Step number={4} title="Does it arrive?" current={current}>
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
    {check.execution_mode === 'push' && check.state === 'unknown' && <Pushing check={check} />}
  </>
);

const ChannelLine = ({ of: id }: { of: Channel['id'] | undefined }) => (
  <p>
    Channel <code>{id}</code>
  </p>
);
