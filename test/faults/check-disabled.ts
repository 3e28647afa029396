import type { Run } from './simulate.ts';

/** What was under way when the account was disabled may still be probed, sent and judged for so long (ms). */
const UNDER_WAY = { probe: 8_000, send: 20_000, judge: 40_000 };
/** The same when nothing of ours is slow; a probe may wait for its target, and for the witness. */
const UNDER_WAY_QUIET = { probe: 100, send: 500, judge: 8_000 };

/** While an account is disabled nothing of it is probed, judged, run, sent or taken in. What silence says after it: checkSilence. */
export function checkDisabled({ seen, profile }: Run): string[] {
  const wrong: string[] = [];
  const latitude = profile.quiet ? UNDER_WAY_QUIET : UNDER_WAY;
  for (const { done, to } of seen.stops) {
    const isIn = (at: number, margin: number) => at > done + margin && at < to;
    const say = (text: string) => wrong.push(`${text}, disabled from ${done} to ${to}`);
    for (const { host, at } of seen.probes) if (isIn(at, latitude.probe)) say(`${host} was probed at ${at}`);
    for (const { delivery_id, at } of seen.received)
      if (isIn(at, latitude.send)) say(`${delivery_id} was sent at ${at}`);
    for (const { execution_id, at } of seen.calls)
      if (isIn(at, latitude.send)) say(`${execution_id} was sent at ${at}`);
    for (const { at, changes } of seen.commits) {
      if (!isIn(at, latitude.judge)) continue;
      for (const { key, before, after } of changes) {
        if (!after) continue;
        const isNew = /^(R|TR)#/.test(key.sk) || (key.sk === 'EXECUTION' && !before);
        if (isNew) say(`${key.pk} ${key.sk} was written at ${at}`);
      }
    }
    for (const { push, started_at, answered } of seen.pushes) {
      if (started_at < done || !answered || answered.at >= to) continue;
      if (answered.status < 500 && answered.status !== 403) say(`push ${push} was answered ${answered.status}`);
    }
  }
  return wrong;
}
