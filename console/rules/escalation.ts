import type { EscalationStep } from '#lib/alerting/policy/settings.ts';
import type { FormSchema } from './form-fields.ts';

/** Channel or rota that an escalation step can notify. */
export type StepRecipient = { id: string; name: string };

/** Returns the names of records by id. An id without a record gets the label `gone` and the id. */
export function namesById(
  known: readonly StepRecipient[],
  ids: readonly string[],
  gone: string,
): Readonly<Record<string, string>> {
  const names = Object.fromEntries(known.map(({ id, name }) => [id, name]));
  for (const id of ids) names[id] ??= `${gone} (${id})`;
  return names;
}

/** Label of a channel that is not in the list. */
export const GONE_CHANNEL = 'unavailable channel';

/** Returns the names of channels by id, including unavailable ones in steps. */
export const channelNames = (steps: readonly EscalationStep[], channels: readonly StepRecipient[]) =>
  namesById(
    channels,
    steps.flatMap(({ channel_ids }) => channel_ids),
    GONE_CHANNEL,
  );

/** Returns the names of rotas by id, including deleted ones in steps. */
export const rotaNames = (steps: readonly EscalationStep[], rotas: readonly StepRecipient[]) =>
  namesById(
    rotas,
    steps.flatMap(({ rota_ids = [] }) => rota_ids),
    'deleted rota',
  );

/** Adds the names of channels and rotas to the schema of an escalation. Removes the field for rotas if none exist. */
export function withRecipientNames(
  schema: FormSchema,
  steps: readonly EscalationStep[],
  channels: readonly StepRecipient[],
  rotas: readonly StepRecipient[],
): FormSchema {
  const choice = (member: FormSchema | undefined, titles: Readonly<Record<string, string>>) => ({
    ...member,
    items: { type: 'string', enum: Object.keys(titles), titles },
  });
  const { channel_ids, rota_ids, ...members } = schema.items?.properties ?? {};
  const named = rotaNames(steps, rotas);
  const properties = {
    ...members,
    channel_ids: choice(channel_ids, channelNames(steps, channels)),
    ...(Object.keys(named).length > 0 && { rota_ids: choice(rota_ids, named) }),
  };
  return { ...schema, items: { ...schema.items, properties } };
}

/** Returns the first step (from 0) that names the channel `id` directly, not through a rota; undefined without one. */
export function stepOf(
  steps: readonly EscalationStep[],
  id: string,
): { step: number; after_seconds: number } | undefined {
  const step = steps.findIndex(({ channel_ids }) => channel_ids.includes(id));
  return step < 0 ? undefined : { step, after_seconds: steps[step]!.after_seconds };
}
