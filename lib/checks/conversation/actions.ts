import type { Action } from './converse.ts';
import { containing, matching } from './expectation.ts';
import { secretsOfSent } from './quoted.ts';
import type { Step } from './steps.ts';

/** Steps that were accepted, with their expressions compiled. */
export const actionsOf = (steps: readonly Step[]): Promise<Action[]> =>
  Promise.all(
    steps.map(async ({ send, expect, matches }): Promise<Action> => {
      if (send !== undefined) return { send };
      if (expect !== undefined) return { expect: containing(expect, 'latin1') };
      return matches === undefined ? { starttls: true } : { expect: await matching(matches, 'latin1') };
    }),
  );

/** What a peer may repeat and others should not read. */
export const secretsOf = (steps: readonly Step[]): string[] =>
  steps.flatMap(({ send }) => (send === undefined ? [] : secretsOfSent(send)));
