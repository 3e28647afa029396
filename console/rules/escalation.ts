import type { EscalationStep } from '#lib/alerting/policy/policy.ts';
import type { MemberSchema } from './form-fields.ts';

/** A channel that a step may call. */
export type Callable = { id: string; name: string };

const MOST_STEPS = 5;

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

/** The steps as a form has them, in their order. */
export function escalationSchema(steps: readonly EscalationStep[], channels: readonly Callable[]): MemberSchema {
  const titles = channelNames(steps, channels);
  return {
    type: 'array',
    default: [],
    description: `Whom to call next while nobody acknowledges and it is not over; at most ${MOST_STEPS} steps, one after the other. A channel that a step names is told nothing before it.`,
    items: {
      type: 'object',
      required: ['after_seconds', 'channel_ids'],
      properties: {
        after_seconds: {
          type: 'integer',
          description: 'From the first alert on; more than in the step before. 900 is 15 minutes.',
        },
        channel_ids: {
          type: 'array',
          title: 'Calls',
          items: { type: 'string', enum: Object.keys(titles), titles },
          ...(channels.length === 0 && { description: 'There is no channel yet.' }),
        },
      },
    },
  };
}

/** The step in which a channel is told first, from 0, and when; undefined: it is told at once. */
export function stepOf(
  steps: readonly EscalationStep[],
  id: string,
): { step: number; after_seconds: number } | undefined {
  const step = steps.findIndex(({ channel_ids }) => channel_ids.includes(id));
  return step < 0 ? undefined : { step, after_seconds: steps[step]!.after_seconds };
}
