import type { EscalationStep } from '#lib/alerting/policy/settings.ts';
import type { FormSchema } from './form-fields.ts';

/** Channel or rota that an escalation step can notify. */
export type Callable = { id: string; name: string };

const GONE = 'unavailable channel';

/** Returns the names of channels by id, including unavailable ones in steps. */
export function channelNames(
  steps: readonly EscalationStep[],
  channels: readonly Callable[],
): Readonly<Record<string, string>> {
  const names = Object.fromEntries(channels.map(({ id, name }) => [id, name]));
  for (const id of steps.flatMap(({ channel_ids }) => channel_ids)) names[id] ??= `${GONE} (${id})`;
  return names;
}

/** Returns the names of rotas by id, including deleted ones in steps. */
export function rotaNames(
  steps: readonly EscalationStep[],
  rotas: readonly Callable[],
): Readonly<Record<string, string>> {
  const names = Object.fromEntries(rotas.map(({ id, name }) => [id, name]));
  for (const id of steps.flatMap(({ rota_ids = [] }) => rota_ids)) names[id] ??= `deleted rota (${id})`;
  return names;
}

/** Adds the names of channels and rotas to the schema of an escalation. Without rotas, it has no field for them. */
export function withRecipientNames(
  schema: FormSchema,
  steps: readonly EscalationStep[],
  channels: readonly Callable[],
  rotas: readonly Callable[],
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

/** Returns the first step (from 0) that notifies a channel; undefined if it is notified immediately. */
export function stepOf(
  steps: readonly EscalationStep[],
  id: string,
): { step: number; after_seconds: number } | undefined {
  const step = steps.findIndex(({ channel_ids }) => channel_ids.includes(id));
  return step < 0 ? undefined : { step, after_seconds: steps[step]!.after_seconds };
}
