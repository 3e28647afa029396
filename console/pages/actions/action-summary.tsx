import { labelOf } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { Action, Check } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { Section } from '#console/parts/page.tsx';
import { remediationText, triggerText } from '#console/rules/triggers.ts';
import { list, number } from '#console/rules/words.ts';

export const ActionSettings = ({ action }: { action: Action }) => (
  <Section title="Settings">
    <dl class="action-facts">
      <dt>Request</dt>
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
          <dt>Allowed hosts</dt>
          <dd class="whole">{list(action.allowed_hosts)}</dd>
        </>
      )}
      <dt>Timeout</dt>
      <dd>{number(action.timeout_ms)} ms</dd>
      <dt>Trigger</dt>
      <dd>
        {triggerText(action)}
        {action.trigger_type === 'state_change' && action.check_id !== null && <OfCheck id={action.check_id} />}
        {action.trigger_type !== 'manual' && <span class="hint">, or manually</span>}
      </dd>
      {action.remediation && (
        <>
          <dt>Remediation</dt>
          <dd>{remediationText(action.remediation)}</dd>
        </>
      )}
    </dl>
  </Section>
);

function OfCheck({ id }: { id: string }) {
  const { data: check, failure } = useLoad<Check>(`/v1/checks/${id}`);
  if (!check) return <span class="hint"> of {failure?.status === 404 ? 'a deleted check' : id}</span>;
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
