import * as z from 'zod';
import { invalid } from '#lib/platform/errors.ts';

const GROUP = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** What a relation says of failure: whether the first entity fails when the second one does. */
export const Failure = z.object({
  carries_failure: z
    .boolean()
    .describe(
      'Whether the first fails when the second does: its alerts then name the cause, and follow one alert of that. True of depends_on, else false, unless it is given.',
    ),
  group: z
    .string()
    .regex(GROUP, 'must have 1 to 64 small letters, digits, "_" or "-" and begin with a letter or digit')
    .nullable()
    .describe(
      'Relations of the first entity with the same group stand in for each other, such as replicas. Null: it is needed by itself.',
    ),
  required: z
    .int()
    .min(1)
    .max(200)
    .nullable()
    .describe(
      'How many of its group have to be well; null: as another of the group says, else 1. Where several say it, the least counts.',
    ),
  when: z
    .enum(['down', 'degraded'])
    .describe('When the second counts as failed: all of its checks are down, or any of them (degraded).'),
});
export type Failure = z.infer<typeof Failure>;

export const NewFailure = Failure.partial();

/** What is stored of it, defaults filled in. Throws VALIDATION_ERROR for what contradicts itself. */
export function failureOf(relation_type: string, stated: z.infer<typeof NewFailure>): Failure {
  const { carries_failure = relation_type === 'depends_on', group = null, required = null, when = 'down' } = stated;
  const idle = 'is of use only where failure is carried; set carries_failure to true or leave it out';
  if (!carries_failure && group !== null) throw invalid('group', idle);
  if (!carries_failure && stated.when === 'degraded') throw invalid('when', idle);
  if (required !== null && group === null)
    throw invalid('required', 'is about a group; name one in group or leave it out');
  return { carries_failure, group, required, when };
}

/** Refuses a group that could never be whole. @param members that it has, this one among them */
export function mustBeReachable({ group, required }: Failure, members: number): void {
  if (required === null || required <= members) return;
  throw invalid(
    'required',
    `is ${required}, but the group ${group} of this entity has ${members} with this one; relate the others first, without required`,
  );
}
