import type { State } from '#console/api/records.ts';
import { STATE_WORD } from '#console/rules/states.ts';

/** A distinct shape per state, so that color is not needed: triangle, diamond, inverted triangle, ring; 16 by 16. */
export const STATE_SHAPE: Readonly<Record<State, string>> = {
  up: 'M8 2 15 14H1z',
  degraded: 'M8 .5 15.500 8 8 15.500.5 8z',
  down: 'M1 2h14L8 14z',
  unknown: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
};

/** Shape of a state, to use next to its name. */
export const StateShape = ({ state }: { state: State }) => (
  <svg class={`shape ${state}`} viewBox="0 0 16 16" aria-hidden="true">
    <path d={STATE_SHAPE[state]} />
  </svg>
);

/** State as shape, word, and color, each sufficient by itself. */
export const StateMark = ({ state, word = STATE_WORD[state] }: { state: State; word?: string }) => (
  <span class={`state ${state}`}>
    <StateShape state={state} />
    {word}
  </span>
);
