import { useLoad } from '#console/api/load.ts';
import type { Rota } from '#console/api/records.ts';
import { channelNames, rotaNames, type StepRecipient, stepOf } from '#console/rules/escalation.ts';
import { duration } from '#console/rules/time.ts';
import { list } from '#console/rules/words.ts';
import type { EscalationStep } from '#lib/alerting/policy/settings.ts';

type StepsProps = { steps: readonly EscalationStep[]; channels: readonly StepRecipient[] };

export function EscalationSteps({ steps, channels }: StepsProps) {
  const { data } = useLoad<Rota[]>(steps.some(({ rota_ids }) => rota_ids) ? '/v1/rotas' : null);
  const names = channelNames(steps, channels);
  const rotas = data && rotaNames(steps, data);
  return (
    <ol class="coming">
      {steps.map(({ after_seconds, channel_ids, rota_ids = [] }) => (
        <li key={after_seconds} dir="auto">
          after {duration(after_seconds * 1000)}:{' '}
          {list([...channel_ids.map((id) => names[id]!), ...rota_ids.map((id) => `on call: ${rotas?.[id] ?? id}`)])}
        </li>
      ))}
    </ol>
  );
}

/** Shows the first escalation step that names a channel directly. Steps that reach it through a rota do not count. */
export function EscalationHint({ steps, id }: { steps: readonly EscalationStep[]; id: string }) {
  const found = stepOf(steps, id);
  if (!found) return null;
  return (
    <span class="tag">
      from step {found.step + 1}, after {duration(found.after_seconds * 1000)}
    </span>
  );
}
