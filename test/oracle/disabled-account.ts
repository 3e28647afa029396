import type { Inside, Seen } from './inside.ts';
import { isNeighbours } from './rules.ts';

/**
 * What was under way when the account was disabled may still be probed, sent and judged for so long (ms). A probe may
 * wait for the reference host before it begins, half a second at most (docs/develop/guarantees.md#probes), and then for
 * its target, and for that host once more.
 */
const UNDER_WAY = { probe: 8_600, send: 20_000, judge: 40_000 };
/** The same when nothing of ours is slow. */
const UNDER_WAY_QUIET = { probe: 600, send: 500, judge: 8_000 };

/**
 * While an account is disabled nothing of it is probed, judged, run, sent or taken in. Each probe, alert and run of an
 * action is preceded by a look at the account (docs/use/people-and-keys.md#account), so a run of a
 * function that began after the disabling does none at all; only one that began before may end what it had in hand.
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
    const say = (text: string) => wrong.push(`${text}, disabled from ${done} to ${to}`);
    for (const one of seen.probes)
      if (!isNeighbours(one.host) && isIn(one, latitude.probe)) say(`${one.host} was probed at ${one.at}`);
    for (const one of seen.received)
      if (isIn(one, latitude.send)) say(`${one.delivery_id} was sent at ${one.at} by run ${one.run}`);
    for (const one of seen.calls)
      if (isIn(one, latitude.send)) say(`${one.execution_id} was sent at ${one.at} by run ${one.run}`);
    for (const commit of seen.commits) {
      if (!isIn(commit, latitude.judge)) continue;
      for (const { key, before, after } of commit.changes) {
        if (!after || !key.pk.startsWith(`T#${tenant}#`)) continue;
        const isNew = /^(R|TR)#/.test(key.sk) || (key.sk === 'EXECUTION' && !before);
        if (isNew) say(`${key.pk} ${key.sk} was written at ${commit.at} by run ${commit.run}`);
      }
    }
    for (const { push, started_at, answered } of seen.pushes) {
      if (started_at < done || !answered || answered.at >= to) continue;
      if (answered.status < 500 && answered.status !== 403) say(`push ${push} was answered ${answered.status}`);
    }
  }
  return wrong;
}

/** For so long of this time the machine slept. */
function sleptIn({ outages }: Seen, from: number, to: number): number {
  const parts = outages
    .filter(({ suspended }) => suspended)
    .map((one) => Math.min(one.to, to) - Math.max(one.from, from));
  return parts.reduce((sum, ms) => sum + Math.max(0, ms), 0);
}
