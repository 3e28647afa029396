import { create as createRunner } from '#functions/action-runner.ts';
import type { ActionItem } from '#lib/actions/action-item.ts';
import type { AttemptSeriesItem } from '#lib/actions/remediation/series.ts';
import { handleDeadlines } from '#lib/alerting/deadlines/handle-deadlines.ts';
import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { ALERTS, RESULTS, stamp, under } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { iso } from '#lib/platform/time.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import type { DeadlineEntry, Owner } from '#lib/schedule/entries.ts';
import { queueEvent, START, TENANT } from '#test/support/alert-world.ts';
import { actionWorld } from '#test/unit/actions/action-world.ts';

const SECOND = 1000;

/** Channel for the policy of the check. */
export const CHANNEL: Channel = {
  ...{ id: 'chn_1', channel_type: 'slack', config: { url: 'https://hooks.example.com/1' } },
  created_at: '2026-11-21T05:00:00.000Z',
};
/** Owner of the deadlines of the check. */
export const OWNER: Owner = { tenant_id: TENANT, entity_id: 'ent_shop', id: 'chk_pay' };

/** Builds the world of guarded actions: its functions take a check down, create actions for it, and let time pass. */
export async function remediationWorld() {
  const world = await actionWorld();
  const { keys, table } = world;
  const runner = createRunner(world.ports);
  let results = 0;
  const setCheck = async (changes: Partial<CheckItem>): Promise<CheckItem> => {
    const check = (await table.get<CheckItem>(keys.check(TENANT, 'chk_pay')))!;
    return world.put({
      ...check,
      v: world.ports.ids.token(),
      single: `${RESULTS}${stamp(world.now() + 86_400_000)}#1`,
      ...changes,
    });
  };
  /** Takes the check down now. */
  const fail = async (changes: Partial<DecidedTransition> = {}): Promise<DecidedTransition> => {
    const at = world.now();
    const transition_id = `trn_${at}`;
    const transition = world.transition([], {
      ...keys.transition(TENANT, 'chk_pay', at, 1),
      ...{ transition_id, timestamp: iso(at), effective_at: at, check_from_since: iso(at - 3_600_000) },
      ...changes,
    });
    await setCheck({ state: 'down', state_since: iso(at) });
    await world.put({
      ...keys.feedEntry(TENANT, 'ent_shop', at, transition_id),
      entity_id: 'ent_shop',
      check_id: 'chk_pay',
      transition_sk: transition.sk,
    } as never);
    return world.put(transition);
  };
  /** Records the outcome of a probe started now. Returns the id of the result. */
  const result = async (success: boolean): Promise<string> => {
    const at = world.now();
    const item: ResultItem = {
      ...keys.result(TENANT, 'chk_pay', at, String(++results)),
      ...{ status_code: success ? 200 : 503, latency_ms: 20, success, error_message: '', error_kind: null },
      checked_at: iso(at),
    };
    await world.put(item);
    if (success) await setCheck({ state: 'up', state_since: iso(at) });
    return resultRecord('chk_pay', item).id;
  };
  const moveWatermark = () =>
    world.put({ ...keys.watermark(keys.shardOf('chk_pay')), v: world.ports.ids.token(), at: world.now() + 120_000 });
  const entry = (action: ActionItem) => table.get<DeadlineEntry>(keys.entry('remediation', TENANT, action.id));
  /** Lets time pass, and handles the due messages and deadlines of each second. */
  const elapse = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      world.pass(SECOND);
      await moveWatermark();
      const due = world.takeDue('action');
      const overdue = (await remediationDeadlines()).filter(({ deadline }) => deadline <= world.now());
      const bodies = [
        ...due.map(({ body }) => body),
        ...overdue.map(({ id }) => ({ kind: 'remediation', tenant_id: TENANT, action_id: id })),
      ];
      if (bodies.length > 0) await runner(queueEvent(bodies));
    }
  };
  const remediationDeadlines = async () => {
    const found: (DeadlineEntry & { id: string })[] = [];
    for (const shard of keys.shards) {
      const { items } = await table.query<DeadlineEntry & { id: string }>({ partition: keys.entries(shard) });
      found.push(...items.filter(({ kind }) => kind === 'remediation'));
    }
    return found;
  };
  await moveWatermark();
  return {
    ...world,
    runner,
    setCheck,
    fail,
    result,
    entry,
    elapse,
    guard: (remediation: object = {}, more: object = {}): Promise<ActionItem> =>
      world.make({
        ...{ name: 'Restart', trigger_type: 'state_change', check_id: 'chk_pay', trigger_to_state: 'down' },
        ...{ timeout_ms: 1000, remediation, ...more },
      }),
    /** Runs an action for a transition, as a message of the planner does. */
    fire: (action: ActionItem, { sk }: DecidedTransition) =>
      runner(
        queueEvent([
          { kind: 'state_change', tenant_id: TENANT, action_id: action.id, check_id: 'chk_pay', transition_sk: sk },
        ]),
      ),
    /** Handles a deadline of the check now. */
    handleDeadline: (kind: DueDeadline['kind']) =>
      handleDeadlines(world, [
        { kind, tenant_id: TENANT, entity_id: OWNER.entity_id, check_id: OWNER.id, at: world.now() },
      ]),
    /** Makes the entity of the check depend on another. */
    addDependency: () => world.put({ ...world.entity, dependencies: 1, checks: { chk_pay: 'down' } }),
    series: (action: ActionItem) => table.get<AttemptSeriesItem>(keys.remediation(TENANT, action.id)),
    alerts: async (): Promise<AlertItem[]> => {
      const { items } = await table.query<AlertItem>({ partition: keys.ofCheck(TENANT, 'chk_pay'), ...under(ALERTS) });
      return items.filter(isAlert);
    },
    start: START,
  };
}

export type RemediationWorld = Awaited<ReturnType<typeof remediationWorld>>;
