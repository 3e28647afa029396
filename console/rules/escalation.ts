import type { EscalationStep } from '#lib/alerting/policy/settings.ts';
import type { FormSchema } from './form-fields.ts';

/** Channel that an escalation step can notify. */
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

/** Adds the names of channels to the schema of an escalation. */
export function withChannelNames(
  schema: FormSchema,
  steps: readonly EscalationStep[],
  channels: readonly Callable[],
): FormSchema {
  const titles = channelNames(steps, channels);
  const { channel_ids, ...members } = schema.items?.properties ?? {};
  const choice = { ...channel_ids, items: { type: 'string', enum: Object.keys(titles), titles } };
  return { ...schema, items: { ...schema.items, properties: { ...members, channel_ids: choice } } };
}

/** Returns the first step (from 0) that notifies a channel; undefined if it is notified immediately. */
export function stepOf(
  steps: readonly EscalationStep[],
  id: string,
): { step: number; after_seconds: number } | undefined {
  const step = steps.findIndex(({ channel_ids }) => channel_ids.includes(id));
  return step < 0 ? undefined : { step, after_seconds: steps[step]!.after_seconds };
}
