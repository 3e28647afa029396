import type { State } from '#console/api/records.ts';

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

/** Tab title: how many are down comes first, where a narrow tab still shows it. */
export const tabTitle = (page: string, down: number): string =>
  `${down > 0 ? `(${down} down) ` : ''}${page ? `${page} · ` : ''}Fleetwatch`;

/** `down,degraded` of an address; what is no state is passed over. */
export const parseStates = (text: string): ReadonlySet<State> =>
  new Set(BY_SEVERITY.filter((state) => text.split(',').includes(state)));
