import type { Result, State } from '#console/api/records.ts';

/** The states, what needs somebody first. */
export const BY_SEVERITY = ['down', 'degraded', 'unknown', 'up'] as const satisfies readonly State[];

/** 0 for what needs somebody most. */
export const severity = (state: State): number => BY_SEVERITY.indexOf(state);

/** What people read: the shape and the colour say it again. */
export const STATE_WORD: Readonly<Record<State, string>> = {
  down: 'Down',
  degraded: 'Degraded',
  unknown: 'Unknown',
  up: 'Up',
};

/** What a run came to, with the shape of the state that it speaks for. */
export const OUTCOME: Readonly<Record<Result['outcome'], { state: State; word: string }>> = {
  ok: { state: 'up', word: 'OK' },
  warn: { state: 'degraded', word: 'Warning' },
  fail: { state: 'down', word: 'Failed' },
};

/** What a result says was wrong: its error, or its warning; empty where all was well, or there is none. */
export const messageOf = (
  result: Pick<Result, 'success' | 'error_message' | 'warning_message'> | null | undefined,
): string => (result?.success ? result.warning_message : result?.error_message) ?? '';

/** Whether somebody may have to look: what is not known is no trouble. */
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

/** Tab title: how many are down comes first, where a narrow tab still shows it. */
export const tabTitle = (page: string, down: number): string =>
  `${down > 0 ? `(${down} down) ` : ''}${page ? `${page} · ` : ''}Fleetwatch`;

/** `down,degraded` of an address; what is no state is passed over. */
export const parseStates = (text: string): ReadonlySet<State> =>
  new Set(BY_SEVERITY.filter((state) => text.split(',').includes(state)));
