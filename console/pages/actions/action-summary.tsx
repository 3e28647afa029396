import { labelOf } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { Action, Check } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { Section } from '#console/parts/page.tsx';
import { remediationWords, triggerWords } from '#console/rules/triggers.ts';
import { list, number } from '#console/rules/words.ts';

/** The call that an action makes, and what starts it. */
export const WhatItDoes = ({ action }: { action: Action }) => (
  <Section title="What it does">
    <dl class="action-facts">
      <dt>Calls</dt>
      <dd class="whole">
        <code>
          {action.method} {action.url}
        </code>
      </dd>
      {Object.keys(action.headers).length > 0 && (
        <>
          <dt>Headers</dt>
          <dd class="whole">{list(Object.keys(action.headers))}</dd>
        </>
      )}
      {action.body_template !== '' && (
        <>
          <dt>Body</dt>
          <dd>
            <pre class="whole">{action.body_template}</pre>
          </dd>
        </>
      )}
      {action.allowed_hosts.length > 0 && (
        <>
          <dt>May go to</dt>
          <dd class="whole">{list(action.allowed_hosts)}</dd>
        </>
      )}
      <dt>Gives up</dt>
      <dd>after {number(action.timeout_ms)} ms</dd>
      <dt>Starts</dt>
      <dd>
        {triggerWords(action)}
        {action.trigger_type === 'state_change' && action.check_id !== null && <OfCheck id={action.check_id} />}
        {action.trigger_type !== 'manual' && <span class="hint">, and by hand</span>}
      </dd>
      {action.remediation && (
        <>
          <dt>Repairs</dt>
          <dd>{remediationWords(action.remediation)}</dd>
        </>
      )}
    </dl>
  </Section>
);

/** Whose transitions start it. */
function OfCheck({ id }: { id: string }) {
  const { data: check, failure } = useLoad<Check>(`/v1/checks/${id}`);
  if (!check) return <span class="hint"> of {failure?.status === 404 ? 'a check that was deleted' : id}</span>;
  const entity = live.fleet.value?.get(check.entity_id);
  return (
    <>
      {' of '}
      <a href={`#/checks/${id}`}>
        <bdi>{labelOf(check)}</bdi>
      </a>
      {entity && (
        <>
          {' at '}
          <bdi>{entity.name}</bdi>
        </>
      )}
    </>
  );
}
