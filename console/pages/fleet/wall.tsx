import { LastUpdated, OutdatedBanner } from '#console/app/last-updated.tsx';
import { StateMark, StateShape } from '#console/parts/state-mark.tsx';
import { Time } from '#console/parts/time.tsx';
import { countsOf, type Fleet, inOrder } from '#console/rules/fleet.ts';
import { BY_SEVERITY, STATE_WORD } from '#console/rules/states.ts';
import { number } from '#console/rules/words.ts';
import { TileMap } from './tile-map.tsx';

const MAX_UNHEALTHY = 24;

/** Fleet on a wall monitor: large figures and unhealthy entities, without search and filters. */
export function Wall({ fleet }: { fleet: Fleet }) {
  const rows = inOrder(fleet);
  const counts = countsOf(rows);
  const unhealthy = rows.filter(({ state }) => state === 'down' || state === 'degraded');
  return (
    <>
      <header class="wall-head">
        <h1 tabIndex={-1}>Fleet</h1>
        <LastUpdated />
        <a href="#/">Exit wall view</a>
      </header>
      <OutdatedBanner />
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
        {unhealthy.slice(0, MAX_UNHEALTHY).map((row) => (
          <li key={row.id}>
            <StateMark state={row.state} />
            <strong dir="auto">{row.name}</strong>
            <Time at={row.state_since} as="for" />
            <span class="why">{row.error_message}</span>
          </li>
        ))}
      </ul>
      {unhealthy.length > MAX_UNHEALTHY && <p>and {number(unhealthy.length - MAX_UNHEALTHY)} more</p>}
      <TileMap rows={rows} height={320} />
    </>
  );
}
