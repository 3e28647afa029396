import type { Result, State } from '#console/api/records.ts';

/** States by severity, worst first. */
export const BY_SEVERITY = ['down', 'degraded', 'unknown', 'up'] as const satisfies readonly State[];

/** Returns the rank of a state; 0 is the worst. */
export const severityRank = (state: State): number => BY_SEVERITY.indexOf(state);

export const STATE_WORD: Readonly<Record<State, string>> = {
  down: 'Down',
  degraded: 'Degraded',
  unknown: 'Unknown',
  up: 'Up',
};

export const OUTCOME: Readonly<Record<Result['outcome'], { state: State; word: string }>> = {
  ok: { state: 'up', word: 'OK' },
  warn: { state: 'degraded', word: 'Warning' },
  fail: { state: 'down', word: 'Failed' },
};

/** Returns the error or warning of a result; empty without one. */
export const messageOf = (
  result: Pick<Result, 'success' | 'error_message' | 'warning_message'> | null | undefined,
): string => (result?.success ? result.warning_message : result?.error_message) ?? '';

/** Whether a state is unhealthy; unknown is not. */
export function isTrouble(state: State): state is 'degraded' | 'down' {
  switch (state) {
    case 'down':
    case 'degraded':
      return true;
    case 'up':
    case 'unknown':
      return false;
  }
}

/** Returns the tab title. The number of down entities comes first, where a narrow tab shows it. */
export const tabTitle = (page: string, down: number): string =>
  `${down > 0 ? `(${down} down) ` : ''}${page ? `${page} · ` : ''}Fleetwatch`;

/** Parses the states in an address; other words are ignored. */
export const parseStates = (text: string): ReadonlySet<State> =>
  new Set(BY_SEVERITY.filter((state) => text.split(',').includes(state)));
