import { checksIn } from '#test/oracle/inside.ts';
import type { Random } from '#test/support/random.ts';
import type { OperatorWorld } from './alerting-bodies.ts';
import { alertingIdsIn, selection } from './alerting-operator.ts';
import { insist } from './requests.ts';

/** Starts of recurring windows, a few minutes apart. In Europe/Berlin, clocks can change during the simulation. */
const STARTS = ['*/4 * * * *', '3-59/5 * * * *', '1-59/6 0-3 * * *'];

const times = (random: Random, ahead: (from: number, to: number) => string): object => {
  if (random.chance(0.4)) {
    const until = random.chance(0.5) && { until: ahead(200_000, 600_000) };
    const time_zone = random.pick(['Europe/Berlin', 'UTC']);
    return { cron: random.pick(STARTS), time_zone, duration_seconds: random.pick([60, 100]), ...until };
  }
  const starts_at = ahead(-60_000, 60_000);
  return { starts_at, ends_at: new Date(Date.parse(starts_at) + random.int(90_000, 240_000)).toISOString() };
};

/** Simulates a user who creates maintenance windows, single or recurring, moves their ends, and deletes them. */
export async function runMaintenanceOperator(
  { random, clock, client, seen }: OperatorWorld,
  end: number,
): Promise<void> {
  const ahead = (from: number, to: number) => new Date(clock.now() + random.int(from, to)).toISOString();
  const send = (method: string, path: string, body?: object) =>
    insist(random, clock, () => client(method, path, body), 3);
  for (;;) {
    await clock.sleep(random.int(40_000, 240_000));
    const checks = checksIn(seen);
    if (clock.now() >= end || checks.length === 0) return;
    const known = alertingIdsIn(seen, 'WINDOW#');
    if (known.length < 2 && (known.length === 0 || random.chance(0.6))) {
      const selected = random.chance(0.7) && selection(random, random.pick(checks));
      const scope = selected || (random.chance(0.4) ? { all: true } : { check_ids: [random.pick(checks).id] });
      await send('POST', '/v1/windows', { name: 'work', scope, ...times(random, ahead) });
      continue;
    }
    const path = `/v1/windows/${random.pick(known)}`;
    // For a recurring window, this ends_at is rejected.
    if (random.chance(0.5)) await send('DELETE', path);
    else await send('PUT', path, { ends_at: ahead(60_000, 300_000) });
  }
}
