import type { ActionItem } from '#lib/actions/action-item.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checkIdOf, checksIn } from '#test/oracle/inside.ts';
import { slotsOf } from '#test/oracle/rules.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import { newChannel, type OperatorWorld, policy } from './alerting-bodies.ts';
import { alertingIdsIn, changeAlerting } from './alerting-operator.ts';
import { newCheck, RETRIES } from './new-check.ts';
import { newRemediation } from './new-remediation.ts';
import type { Observations } from './observations.ts';
import { insist } from './requests.ts';

export const actionsIn = (seen: Observations): ActionItem[] =>
  [...seen.table.values()].filter((item): item is ActionItem => item.sk.startsWith('act_'));
export const entitiesIn = (seen: Observations): EntityItem[] =>
  [...seen.table.values()].filter((item): item is EntityItem => item.pk.includes('#ENTITIES#'));

/** Returns the body of a new action. */
export function newAction(random: Random, checks: CheckItem[], number: number): object {
  const common = { name: `action ${number}`, timeout_ms: random.pick([1000, 5000]) };
  const url = `https://c${number % 3}.example.com/{{execution_id}}`;
  return { ...common, url, ...trigger(random, checks) };
}

function trigger(random: Random, checks: CheckItem[]): object {
  if (random.chance(0.3)) {
    return { trigger_type: 'schedule', interval_seconds: random.pick([60, 90, 150]), remediation: null };
  }
  const check_id = random.pick(checks).id;
  if (random.chance(0.5)) return { trigger_type: 'state_change', check_id, ...newRemediation(random) };
  const trigger_to_state = random.pick(['', 'up', 'down', 'degraded']);
  return { trigger_type: 'state_change', check_id, trigger_to_state, remediation: null };
}

/** Gives a check, in about 70 % of cases, a policy with channels and escalation steps. */
export async function setUpAlerts(world: OperatorWorld, check: CheckItem, number: number): Promise<void> {
  const { random, clock, client, seen } = world;
  const base = `/v1/checks/${check.id}/policy`;
  if (random.chance(0.3)) return;
  await insist(random, clock, () => client('POST', base, { ...policy(random), ...silence(random, clock) }));
  const rota_ids = random.chance(0.5) ? alertingIdsIn(seen, 'ROTA#') : [];
  const after_seconds = random.pick([10, 30, 90]);
  const onCall = { after_seconds, channel_ids: [], rota_ids };
  if (rota_ids.length > 0) await insist(random, clock, () => client('POST', base, { escalation: [onCall] }));
  for (let i = random.int(1, 2); i > 0; i--) {
    const body = newChannel(random, (number + i) % 4);
    const made = await insist(random, clock, () => client('POST', `${base}/channels`, body));
    if (made?.status !== 201 || !random.chance(0.3)) continue;
    // This possibly leaves no channel that is notified before this step.
    const channel_ids = [(made.body as { id: string }).id];
    const escalation =
      rota_ids.length > 0 ? [onCall, { after_seconds: after_seconds + 60, channel_ids }] : [{ ...onCall, channel_ids }];
    await insist(random, clock, () => client('POST', base, { escalation }));
  }
}

/** Tests or deletes a channel. */
async function changeChannel({ random, clock, client, seen }: OperatorWorld, check: CheckItem): Promise<void> {
  const policy = [...seen.table.values()].find(
    (item): item is PolicyItem => item.sk === 'POLICY' && checkIdOf(item) === check.id,
  );
  if (!policy || policy.channels.length === 0) return;
  const path = `/v1/checks/${check.id}/policy/channels/${random.pick(policy.channels).id}`;
  const send = random.chance(0.7) ? () => client('POST', `${path}/test`) : () => client('DELETE', path);
  await insist(random, clock, send, 3);
}

/** Returns random settings of a silence: usually off, else mostly for some minutes. */
function silence(random: Random, clock: VirtualClock): object {
  if (random.chance(0.85)) return { silenced: false };
  if (random.chance(0.3)) return { silenced: true };
  return { silenced_until: new Date(clock.now() + random.int(30_000, 400_000)).toISOString() };
}

/** Simulates a user who changes something every minute or so. */
export async function runOperator(world: OperatorWorld, end: number): Promise<void> {
  const { random, clock, seen } = world;
  let number = 100;
  for (;;) {
    await clock.sleep(random.int(5_000, 120_000));
    if (clock.now() >= end) return;
    const checks = checksIn(seen);
    const entities = entitiesIn(seen);
    if (checks.length === 0 || entities.length === 0) return;
    await change(world, random.pick(checks), random.pick(entities), number++);
  }
}

async function change(world: OperatorWorld, check: CheckItem, entity: EntityItem, number: number): Promise<void> {
  const { random, clock, client } = world;
  if (random.chance(0.15)) return changeAction(world, number);
  if (random.chance(0.15)) return changeChannel(world, check);
  if (random.chance(0.2)) return changeAlerting(world, check, number);
  const path = `/v1/checks/${check.id}`;
  const put = (body: object) => insist(random, clock, () => client('PUT', path, body));
  const kind = random.int(1, 20);
  if (kind <= 6) await put({ enabled: !check.enabled });
  else if (kind <= 8) await put({ interval_seconds: random.pick([10, 20, 30, 60]) });
  else if (kind <= 9) await put({ failure_threshold: random.int(1, 3), recovery_threshold: random.int(1, 3) });
  else if (kind <= 10 && check.execution_mode === 'pull') await put({ retry_interval_seconds: random.pick(RETRIES) });
  else if (kind <= 11) await put({ name: `check ${number}` });
  else if (kind <= 16)
    await insist(random, clock, () =>
      client('POST', `${path}/policy`, { ...policy(random), ...silence(random, clock) }),
    );
  else if (kind <= 17) await insist(random, clock, () => client('DELETE', path));
  else if (kind <= 18)
    await insist(random, clock, () => client('POST', '/v1/checks', newCheck(random, entity, number)));
  else if (kind <= 19) await setUpAlerts(world, check, number);
  else if (random.chance(0.3)) {
    const at = `/v1/blueprints/${entity.blueprint_slug}/entities/${entity.slug}`;
    await insist(random, clock, () => client('DELETE', at));
  } else
    await insist(random, clock, () =>
      client('PUT', `/v1/blueprints/service/entities/${entity.slug}`, {
        name: `e${number}`,
        ...silence(random, clock),
      }),
    );
}

/** Simulates a user who changes a check just before its slot, so that the change and the probe coincide. */
export async function runMeddler({ random, clock, seen, client }: OperatorWorld, end: number): Promise<void> {
  for (;;) {
    await clock.sleep(random.int(20_000, 100_000));
    const pullChecks = checksIn(seen).filter(({ enabled, execution_mode }) => enabled && execution_mode === 'pull');
    const now = clock.now();
    if (now >= end || pullChecks.length === 0) return;
    // Prefers failing checks, whose state depends on each outcome.
    const failing = pullChecks.filter(({ consecutive_failures }) => consecutive_failures > 0);
    const { id, interval_seconds, failure_threshold } = random.pick(
      failing.length > 0 && random.chance(0.7) ? failing : pullChecks,
    );
    const [slot = now] = slotsOf(id, interval_seconds, now, now + interval_seconds * 1000);
    await clock.sleep(Math.max(0, slot - now - random.int(20, 60)));
    const body = { failure_threshold: (failure_threshold % 3) + 1 };
    await insist(random, clock, () => client('PUT', `/v1/checks/${id}`, body));
  }
}

async function changeAction({ random, clock, client, seen }: OperatorWorld, number: number): Promise<void> {
  const actions = actionsIn(seen);
  const checks = checksIn(seen);
  const send = (method: string, path: string, body?: object) =>
    insist(random, clock, () => client(method, `/v1/actions${path}`, body));
  const kind = actions.length === 0 ? 1 : random.int(1, 4);
  if (kind === 1) await send('POST', '', newAction(random, checks, number));
  else if (kind === 2) await send('DELETE', `/${random.pick(actions).id}`);
  else if (kind === 3) await send('PUT', `/${random.pick(actions).id}`, { name: `action ${number}` });
  else await send('PUT', `/${random.pick(actions).id}`, trigger(random, checks));
}
