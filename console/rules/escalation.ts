import type { EscalationStep } from '#lib/alerting/policy/settings.ts';
import type { MemberSchema } from './form-fields.ts';

/** A channel that a step may call. */
export type Callable = { id: string; name: string };

/** What a channel is called that a step names, and that is not among those it may call. */
const GONE = 'a channel that is not told of this';

/** What channels are called, by their ids; those behind them that a step names and that are not there. */
export function channelNames(
  steps: readonly EscalationStep[],
  channels: readonly Callable[],
): Readonly<Record<string, string>> {
  const names = Object.fromEntries(channels.map(({ id, name }) => [id, name]));
  for (const id of steps.flatMap(({ channel_ids }) => channel_ids)) names[id] ??= `${GONE} (${id})`;
  return names;
}

/** Adds the names of channels to the schema of an escalation, as a form needs them. */
export function withChannelNames(
  schema: MemberSchema,
  steps: readonly EscalationStep[],
  channels: readonly Callable[],
): MemberSchema {
  const titles = channelNames(steps, channels);
  const { channel_ids, ...members } = schema.items?.properties ?? {};
  const choice = { ...channel_ids, items: { type: 'string', enum: Object.keys(titles), titles } };
  return { ...schema, items: { ...schema.items, properties: { ...members, channel_ids: choice } } };
}

/** The step in which a channel is told first, from 0, and when; undefined: it is told at once. */
export function stepOf(
  steps: readonly EscalationStep[],
  id: string,
): { step: number; after_seconds: number } | undefined {
  const step = steps.findIndex(({ channel_ids }) => channel_ids.includes(id));
  return step < 0 ? undefined : { step, after_seconds: steps[step]!.after_seconds };
}
