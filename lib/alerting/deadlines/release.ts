import type { AccountItem } from '#lib/access/account.ts';
import { readCheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
import { escalationChange } from '#lib/alerting/decide/escalation.ts';
import { firstResultAt, hasResultSince, lastChanceAt } from '#lib/alerting/decide/first-result.ts';
import { type Deadline, type DeadlineEntry, mergeDeadline } from '#lib/alerting/decide/notes.ts';
import { incidentWrites, joinWrites } from '#lib/alerting/decide/notified-failure.ts';
import { forgetHold } from '#lib/alerting/decide/settle-held.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { channelsOfSteps, channelsThatApply } from '#lib/alerting/policy/effective-policy.ts';
import { isSilenced, type Policy } from '#lib/alerting/policy/policy.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { deadlineWrites, dueDeadline } from '#lib/schedule/entries.ts';
import { putBack } from '#lib/schedule/jobs.ts';
import { lastOutageEnd } from '#lib/schedule/outages.ts';
import { emittedUntil, readWatermark } from '#lib/schedule/watermark.ts';
import { decideHeld } from './decide-held.ts';
import { lookForCause } from './dependency-hold.ts';
import { type HeldCase, type Holder, maintenance, remediation } from './hold.ts';

/** All that may hold an alert, asked in this order: the first that does says when it is looked at again. */
const HOLDERS: readonly Holder[] = [maintenance, remediation];

/** Somebody else asks what it follows from: the answer will be there so soon (ms). */
const ASKED_MS = 1_000;

/** While it waits for a result of the check, it is looked at so often (ms), or twenty times in all. */
const SOONEST_MS = 5_000;
const LATEST_MS = 300_000;

/**
 * Looks at a held alert whose deadline has come. It is held on, or released, which puts its alert, or skipped with the
 * reason of the rule that stops it now: with its transition, the deadline and the check in one transaction, so that
 * it happens once. Time that nobody watched does not count.
 * @returns the deadlines that come next, to be sent
 */
export async function lookAtHeld(env: Env, deadline: DueDeadline, account: AccountItem): Promise<DueDeadline[]> {
  const { ports, keys } = env;
  const shard = keys.shardOf(deadline.check_id);
  const watermark = await readWatermark(env, shard);
  const now = ports.clock.now();
  if (emittedUntil(watermark, now) <= now) return [putBack(deadline, now)];
  const watchedSince = Math.max(await lastOutageEnd(env, shard), pastOrZero(account.enabled_at ?? 0, now));
  return untilDone(ports, () => attempt(env, deadline, account, watchedSince));
}

/** @param watchedSince epoch ms: our last outage had ended, and the account was enabled */
async function attempt(
  env: Env,
  deadline: DueDeadline,
  { id, egress }: AccountItem,
  watchedSince: number,
): Promise<DueDeadline[] | typeof AGAIN> {
  const { ports, keys } = env;
  const { tenant_id, check_id, entity_id } = deadline;
  const owner = { tenant_id, entity_id, id: check_id };
  const read = await readCheckAlerting(env, owner, { deadlines: ['hold', 'repeat', 'catch_up'], incident: true });
  const { check, entity, policy, incident, now } = read;
  const { hold: entry, repeat, catch_up: catchUp } = read.deadlines;
  if (!entry || (entry.deadline > now && !deadline.woken)) return [];
  const move = (next: Deadline | undefined): Write[] =>
    deadlineWrites(keys, 'hold', owner, ports.ids.token(), entry, next);
  const lookAt = (at: number) => dueDeadline('hold', owner, at);

  const held = entry.note?.held;
  const key = held && { pk: keys.ofCheck(tenant_id, check_id), sk: held.transition_sk };
  const transition = key && (await ports.table.get<DecidedTransition>(key));
  // Whatever ends its check or its entity has nothing to tell of it.
  const isOver = held?.reason !== 'dependency' && transition?.alert.decision !== 'held';
  if (!held || !check || !entity || !transition || isOver) {
    const left = check ? forgetHold(keys, check, entry) : [];
    return (await commit(ports, [...move(undefined), ...left])).ok ? [] : AGAIN;
  }

  const { windows } = read.account;
  const one: HeldCase = { check, entity, incident, policy, held, windows, due: entry.deadline, transition, now };
  const decideNow = (by: HeldCase, beside: Write[]) =>
    writeDecided(env, by, { policyIs: read.policyAsRead, entries: { repeat, catch_up: catchUp }, beside }, move);
  if (held.reason === 'dependency' && mayBeTold(check, policy)) {
    const seen = await lookForCause({ ...env, tenant: tenant_id }, { id, egress }, one);
    if (seen === 'asked') return [{ ...lookAt(now + ASKED_MS), woken: true }];
    if ('decide' in seen) return decideNow(seen.decide, seen.writes);
    const done = await commit(ports, [...move(seen.next), ...seen.writes, read.policyAsRead]);
    return done.ok ? [...seen.deadlines, ...(seen.next ? [lookAt(seen.next.deadline)] : [])] : AGAIN;
  }
  const rest = heldFromRest(one);
  if (rest) return (await commit(ports, move(rest))).ok ? [lookAt(rest.deadline)] : AGAIN;
  if (held.kind === 'catch_up') {
    // A catch-up waits by itself for whatever keeps it from being told now.
    const again = mergeDeadline(catchUp, { deadline: now });
    const writes = deadlineWrites(keys, 'catch_up', owner, ports.ids.token(), catchUp, again);
    const done = await commit(ports, [...move(undefined), ...forgetHold(keys, check, entry), ...writes]);
    return done.ok ? [dueDeadline('catch_up', owner, again.deadline)] : AGAIN;
  }
  const later = await heldOn(env, one, watchedSince);
  if (later) return (await commit(ports, move(later))).ok ? [lookAt(later.deadline)] : AGAIN;
  return decideNow(one, []);
}

type Stored = {
  policyIs: Write;
  entries: { repeat: DeadlineEntry | undefined; catch_up: DeadlineEntry | undefined };
  /** Written in the same transaction. */
  beside: Write[];
};

/** Decides a held alert by the rules of alerting. @param move the writes that move its deadline, or end it */
async function writeDecided(
  { ports, keys }: Env,
  one: HeldCase,
  { policyIs, entries, beside }: Stored,
  move: (next: Deadline | undefined) => Write[],
): Promise<DueDeadline[] | typeof AGAIN> {
  const { check, entity, incident, policy, held, due, now } = one;
  const token = ports.ids.token();
  const decided = decideHeld(keys, token, one, entries);
  const { goesOn } = decided;
  const change = { before: check.alerts, after: decided.alerts ?? check.alerts, policy };
  const escalation = escalationChange(keys, check, token, change);
  const writes: Write[] = [
    ...move(goesOn),
    ...beside,
    ...forgetHold(keys, check, { deadline: due, note: { held } }),
    ...(decided.transition ? [decided.transition] : []),
    ...(decided.item ? [{ put: decided.item, if: 'absent' as const }] : []),
    ...joinWrites(entity, decided.partOf, token),
    ...incidentWrites(incident, decided.told, token, now),
    ...(decided.alerts ? [replaceCheck(check, nextCheck(check, token, { alerts: decided.alerts }))] : []),
    ...decided.deadlines.flatMap((one) => deadlineWrites(keys, one.kind, check, token, one.present, one.next)),
    ...escalation.writes,
    policyIs,
  ];
  if (!(await commit(ports, writes)).ok) return AGAIN;
  return [
    ...(goesOn ? [dueDeadline('hold', check, goesOn.deadline)] : []),
    ...escalation.deadlines,
    ...decided.deadlines.map((one) => dueDeadline(one.kind, check, one.next.deadline)),
  ];
}

/** Whether nothing but the search for its cause keeps an alert from going out. */
const mayBeTold = ({ alerts }: CheckItem, policy: Policy): boolean =>
  !isSilenced(policy) &&
  policy.window === undefined &&
  channelsThatApply(policy, 'down', alerts).length + channelsOfSteps(policy).length > 0;

/**
 * Where some were told, a window or a silence that begins then holds it back from those alone who wait for its cause:
 * they are still to hear of it. When that is looked at again; undefined where it is not so.
 */
function heldFromRest({ check, policy, held, now }: HeldCase): Deadline | undefined {
  const { window } = policy;
  if (held.reason !== 'dependency' || !held.told?.length || !(window || isSilenced(policy))) return undefined;
  const over = window ? firstResultAt(check, window.until) : Number.POSITIVE_INFINITY;
  return { deadline: Math.max(Math.min(over, now + LATEST_MS), now + 1), note: { held } };
}

/** The deadline at which it is looked at again; undefined when it is to be decided. */
async function heldOn(env: Env, one: HeldCase, watchedSince: number): Promise<Deadline | undefined> {
  const { check, held, due, now } = one;
  for (const holder of HOLDERS) {
    const look = await holder.look(env, one);
    if (!look) continue;
    const { again, ...rest } = look;
    return { deadline: Math.max(again, now + 1), note: { held: { ...held, ...rest, reason: holder.reason } } };
  }
  if (held.reason === 'remediation') return undefined;
  const from = Math.max(Math.min(held.from, due), watchedSince);
  const last = lastChanceAt(check, from);
  if (now >= last || (await hasResultSince(env, check, from))) return undefined;
  const wait = Math.min(Math.max((last - from) / 20, SOONEST_MS), LATEST_MS);
  return { deadline: Math.min(Math.ceil(now + wait), last), note: { held: { ...held, from } } };
}
