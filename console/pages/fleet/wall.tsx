import { LastUpdated } from '#console/app/last-updated.tsx';
import { StateMark, StateShape } from '#console/parts/state-mark.tsx';
import { Time } from '#console/parts/time.tsx';
import { countsOf, type Fleet, inOrder } from '#console/rules/fleet.ts';
import { BY_SEVERITY, STATE_WORD } from '#console/rules/states.ts';
import { number } from '#console/rules/words.ts';
import { TileMap } from './tile-map.tsx';

const MAX_TROUBLES = 24;

/** The fleet for a screen on a wall: large figures, what is in trouble, and nothing to press. */
export function Wall({ fleet }: { fleet: Fleet }) {
  const rows = inOrder(fleet);
  const counts = countsOf(rows);
  const troubles = rows.filter(({ state }) => state === 'down' || state === 'degraded');
  return (
    <>
      <header class="wall-head">
        <h1 tabIndex={-1}>Fleet</h1>
        <LastUpdated />
        <a href="#/">Leave</a>
      </header>
      <ul class="wall-counts">
        {BY_SEVERITY.map((state) => (
          <li key={state} class={counts[state] === 0 ? 'none' : state}>
            <StateShape state={state} />
            <strong>{number(counts[state])}</strong>
            {STATE_WORD[state]}
          </li>
        ))}
      </ul>
      <ul class="wall-troubles">
        {troubles.slice(0, MAX_TROUBLES).map((row) => (
          <li key={row.id}>
            <StateMark state={row.state} />
            <strong dir="auto">{row.name}</strong>
            <Time at={row.state_since} as="for" />
            <span class="why">{row.why}</span>
          </li>
        ))}
      </ul>
      {troubles.length > MAX_TROUBLES && <p>and {number(troubles.length - MAX_TROUBLES)} more</p>}
      <TileMap rows={rows} height={320} />
    </>
  );
}
