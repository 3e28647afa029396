import type { AccountItem } from '#lib/access/account.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkTypeOf } from '#lib/checks/types/registry.ts';
import type { Env, Ports } from '#lib/env.ts';
import type { Net } from '#lib/net/net.ts';
import type { Item } from '#lib/platform/ports.ts';
import { NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import { probeRoute } from '#lib/results/probe/network-health.ts';
import { hostOf, probeBy, probeTimeout, probingProcess } from '#lib/results/probe/probe.ts';
import type { UpstreamProbe } from './evidence.ts';

/** Probes that an account may be asked in a second, beside those of its checks. */
const A_SECOND = 20;

type Second = { begins: number; asked: Map<string, number> };
const seconds = new WeakMap<Net, Second>();

/** Whether so many checks of an account may be asked now; counted in this process. */
function tryTakeUpstreamProbe({ net, clock }: Pick<Ports, 'net' | 'clock'>, tenant: string, count: number): boolean {
  const begins = Math.floor(clock.now() / 1000);
  const known = seconds.get(net);
  const second = known?.begins === begins ? known : { begins, asked: new Map<string, number>() };
  seconds.set(net, second);
  const asked = (second.asked.get(tenant) ?? 0) + count;
  if (asked > A_SECOND) return false;
  second.asked.set(tenant, asked);
  return true;
}

/**
 * What the checks of an entity answered when they were asked, because something that depends on it failed. Evidence
 * alone: it is no result, and moves no counter and no state. Times in epoch ms.
 */
type AskedItem = Item & {
  v: string;
  /** When it was asked last. */
  asked_at: number;
  /** Somebody asks until then. */
  claimed_until: number;
  /** By check. */
  outcomes: Record<string, UpstreamProbe>;
};

/** Whoever asks waits for an answer at most so long (ms); no answer by then counts as a failure. */
const MAX_MS = 10_000;
/** An answer is shared for so long (ms); while somebody asks anew, for so long again. */
const SHARED_MS = 10_000;
/** A claim outlives what it is for by so much (ms). */
const CLAIM_SPARE_MS = 2_000;
/** How long one waits for a place to probe (ms). */
const WAIT_MS = 1_000;
/** Failures that are further apart (ms) are not in a row. */
const ROW_MS = 60_000;
/** Most probes that one question makes. */
const MAX_PROBES = 32;
const KEEP_SECONDS = 3600;

/** Whether a check can be asked: one that probes, is enabled, and whose probe does no harm. */
export const isProbeable = (check: CheckItem): boolean =>
  check.execution_mode === 'pull' && check.enabled && checkTypeOf(check.check_type).isHarmless(check);

export type UpstreamProbes = Map<string, UpstreamProbe | 'open'>;

/** Whom to ask: entities with their checks, the nearest first. */
type Asking = { entity_id: string; checks: CheckItem[] }[];

/**
 * Asks the checks of some entities whether they succeed right now. What was answered a moment ago is not asked again,
 * and what somebody else asks is not asked twice: `open` then, and the answer is there a moment later. What cannot be
 * asked has no answer.
 * @param account whose checks they are
 */
export async function probeUpstream(
  env: Env,
  account: Pick<AccountItem, 'id' | 'egress'>,
  entities: Asking,
): Promise<UpstreamProbes> {
  const { ports, keys } = env;
  const now = ports.clock.now();
  const stored = await ports.table.getMany<AskedItem>(entities.map((one) => keys.asked(account.id, one.entity_id)));
  const answers: UpstreamProbes = new Map();
  const claims: Promise<unknown>[] = [];
  let left = MAX_PROBES;
  for (const [i, { entity_id, checks }] of entities.entries()) {
    const item = stored[i];
    const askable = checks.filter((check) => isProbeable(check) && check.state !== 'down');
    if (askable.length === 0) continue;
    const isUnderWay = item !== undefined && item.claimed_until > now;
    if (item && now - item.asked_at < (isUnderWay ? 2 * SHARED_MS : SHARED_MS)) {
      for (const check of askable) if (item.outcomes[check.id]) answers.set(check.id, item.outcomes[check.id]!);
      continue;
    }
    for (const check of askable) answers.set(check.id, 'open');
    if (isUnderWay) continue;
    left -= askable.length;
    if (left < 0 || !tryTakeUpstreamProbe(ports, account.id, askable.length)) {
      for (const check of askable) answers.delete(check.id);
      continue;
    }
    const note = (outcomes: AskedItem['outcomes'] | undefined) => {
      for (const { id } of outcomes ? askable : []) {
        const asked = outcomes?.[id];
        if (asked) answers.set(id, asked);
        else answers.delete(id);
      }
    };
    claims.push(askEntity(env, account, { entity_id, checks: askable, item }).then(note));
  }
  await Promise.all(claims);
  return answers;
}

type OneEntity = { entity_id: string; checks: CheckItem[]; item: AskedItem | undefined };

/** @returns undefined if another process asks: the answer will be there a moment later */
async function askEntity(
  { ports, keys }: Env,
  account: Pick<AccountItem, 'id' | 'egress'>,
  { entity_id, checks, item }: OneEntity,
): Promise<AskedItem['outcomes'] | undefined> {
  const now = ports.clock.now();
  const v = ports.ids.token();
  const claim: AskedItem = {
    ...keys.asked(account.id, entity_id),
    v,
    asked_at: item?.asked_at ?? 0,
    outcomes: item?.outcomes ?? {},
    claimed_until: now + MAX_MS + WAIT_MS + CLAIM_SPARE_MS,
    expires_at: Math.floor(now / 1000) + KEEP_SECONDS,
  };
  const claimed = await ports.table.transact([{ put: claim, if: item ? { version: item.v } : 'absent' }]);
  if (!claimed.ok) return undefined;
  const outcomes: AskedItem['outcomes'] = {};
  await Promise.all(
    checks.map(async (check) => {
      const asked = await askCheck({ ports }, account, check, item);
      if (asked) outcomes[check.id] = asked;
    }),
  );
  const put: AskedItem = { ...claim, v: ports.ids.token(), asked_at: now, claimed_until: 0, outcomes };
  await ports.table.transact([{ put, if: { version: v } }]);
  return outcomes;
}

/** One probe by the settings of a check; undefined when our own side may be why it failed. */
async function askCheck(
  { ports }: Pick<Env, 'ports'>,
  account: Pick<AccountItem, 'id' | 'egress'>,
  check: CheckItem,
  before: AskedItem | undefined,
): Promise<UpstreamProbe | undefined> {
  const { lanes, network } = probingProcess(ports);
  const claim = { tenant: account.id, target: hostOf(check), until: ports.clock.now() + WAIT_MS };
  const timeout_ms = Math.min(probeTimeout(check), MAX_MS);
  const about = { check_id: check.id, asked: true };
  const probe = () => probeBy(ports, check, { account, tenant_id: account.id, timeout_ms, about });
  const probed = await lanes.quick.run(claim, () => lanes.begin(claim, probe));
  if (probed === NO_PERMIT || !probed) return undefined;
  const { started_at: began_at, outcome } = probed;
  const route = probeRoute(hostOf(check));
  const isSilent = outcome.unanswered === true;
  if (typeof route === 'object') network.record(route.host, !isSilent);
  if (isSilent && route !== 'this machine' && (network.wasDown(began_at) || (await network.isInDoubt()))) {
    return undefined;
  }
  const last = before?.outcomes[check.id];
  const isInRow = last && !last.success && began_at - last.began_at < ROW_MS;
  return { success: outcome.success, began_at, since: isInRow ? last.since : began_at };
}
