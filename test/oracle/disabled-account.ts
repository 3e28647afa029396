import { type Inside, sleptIn } from './inside.ts';
import { isOfNeighbor } from './rules.ts';

/**
 * Time for which work that had started when the account was disabled can continue to probe, send and record (ms). A
 * probe can wait for the reference host before it starts, half a second at most (docs/develop/guarantees.md#probes),
 * and then for its target, and for that host again.
 */
const UNDER_WAY = { probe: 8_600, send: 20_000, record: 40_000 };
/** These times when the service has no faults (ms). */
const UNDER_WAY_QUIET = { probe: 600, send: 500, record: 8_000 };

/**
 * Promise: while an account is disabled, the service probes, records, runs, sends and accepts nothing for it. Each
 * probe, alert and execution first checks the account (docs/use/users-and-keys.md#account), so that a function run
 * that started after the disabling does none of them; only one that started before can finish its work.
 */
export function checkDisabledAccount({ seen, profile }: Inside): string[] {
  const wrong: string[] = [];
  const latitude = profile.quiet ? UNDER_WAY_QUIET : UNDER_WAY;
  for (const { tenant, done, to } of seen.stops) {
    const slept = sleptIn(seen, done, to);
    const isIn = ({ at, run }: { at: number; run: number | undefined }, margin: number): boolean => {
      if (run === undefined || at <= done || at >= to) return false;
      return seen.runs.get(run)!.began_at >= done || at > done + margin + slept;
    };
    const say = (text: string) => wrong.push(`${text}, while the account was disabled from ${done} to ${to}`);
    for (const one of seen.probes)
      if (!isOfNeighbor(one.host) && isIn(one, latitude.probe)) say(`${one.host} was probed at ${one.at}`);
    for (const one of seen.received)
      if (isIn(one, latitude.send)) say(`delivery ${one.delivery_id} was sent at ${one.at} by function run ${one.run}`);
    for (const one of seen.calls)
      if (isIn(one, latitude.send))
        say(`execution ${one.execution_id} was sent at ${one.at} by function run ${one.run}`);
    for (const commit of seen.commits) {
      if (!isIn(commit, latitude.record)) continue;
      for (const { key, before, after } of commit.changes) {
        if (!after || !key.pk.startsWith(`T#${tenant}#`)) continue;
        const isNew = /^(R|TR)#/.test(key.sk) || (key.sk === 'EXECUTION' && !before);
        if (isNew) say(`${key.pk} ${key.sk} was written at ${commit.at} by function run ${commit.run}`);
      }
    }
    for (const { push, started_at, answered } of seen.pushes) {
      if (started_at < done || !answered || answered.at >= to) continue;
      if (answered.status < 500 && answered.status !== 403) say(`push ${push} returned ${answered.status}`);
    }
  }
  return wrong;
}
