import { marshall } from '@aws-sdk/util-dynamodb';
import { type AccountItem, DEFAULT_LIMITS } from '#lib/access/account.ts';
import { UNRESTRICTED } from '#lib/access/restriction.ts';
import { type AlertItem, alertItem, deliveryIdOf } from '#lib/alerting/decide/alert-item.ts';
import { reportedStateOf } from '#lib/alerting/decide/notified-state.ts';
import { type DecidedKind, decisionInputOf } from '#lib/alerting/decide/rule-input.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { type Channel, emptyPolicy, type PolicyItem } from '#lib/alerting/policy/policy.ts';
import { POLICY_DEFAULTS } from '#lib/alerting/policy/settings.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { makeNet } from '#lib/net/node-net.ts';
import type { RetryBudget } from '#lib/platform/batch.ts';
import type { BusEvent, Item } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { plannedAlert } from './alert-decisions.ts';
import { memoryWorld } from './memory-world.ts';
import { queueRecord } from './queue-record.ts';

export const TENANT = 'acc_a';
export const START = Date.parse('2026-11-21T05:16:40.123Z');

/** Kind of an alert, time of its decision (epoch ms), and type of its channels. */
type AlertOptions = { kind: DecidedKind; at: number; channel_type: string };

export type Sent = { queue: string; body: unknown; not_before?: number };

/**
 * Builds a memory world with a real network and a table with one account, entity and check. Records the messages sent
 * to queues and to the bus.
 */
export async function alertWorld(env: Record<string, string> = {}) {
  const sent: Sent[] = [];
  const published: BusEvent[] = [];
  const counted: string[] = [];
  const world = memoryWorld(undefined, {
    env: { CHECK_EGRESS: 'any', ...env },
    start: START,
    ports: {
      metrics: { count: (name) => void counted.push(name) },
      net: makeNet({ EGRESS_ALLOW: [] }),
      queues: {
        send: async (queue, messages) => void sent.push(...messages.map((message) => ({ queue, ...message }))),
      },
      bus: { publish: async (events) => void published.push(...events) },
    },
  });
  const { ports, keys, onChange, store: table, log } = world;
  const now = ports.clock.now;
  const caller = {
    tenant_id: TENANT,
    user_id: 'usr_a',
    user_email: 'ann@example.com',
    key_id: 'key_a',
    key_label: 'First key',
    role: 'admin' as const,
    is_read_only: false,
    scopes: null,
    ...UNRESTRICTED,
    valid_until: null,
    ...DEFAULT_LIMITS,
    egress: 'any' as const,
    rate_limits: {},
  };
  const origin = { via: 'api' as const, request_id: 'r', ip: '', user_agent: '' };
  const context: StateContext = { ports, keys, onChange, tenant: TENANT, caller, origin };

  const put = async <T extends Item>(item: T): Promise<T> => {
    await table.putMany([item]);
    return item;
  };

  const account: AccountItem = {
    ...keys.account(TENANT),
    v: 'a1',
    id: TENANT,
    email: 'ops@shop.test',
    name: 'Shop',
    ...DEFAULT_LIMITS,
    egress: 'any' as const,
    rate_limits: {},
    disabled: false,
    link_key: 'key of links',
    created_at: iso(START),
  };
  const entity: EntityItem = {
    ...keys.entity(TENANT, 'ent_shop'),
    v: 'e1',
    tenant_id: TENANT,
    id: 'ent_shop',
    blueprint_slug: 'service',
    slug: 'shop',
    name: 'Shop',
    fields: {},
    labels: {},
    state: 'up',
    state_since: iso(START),
    checks: { chk_pay: 'up' },
    check_load: { probes: 1_000_000, expressions: 0 },
    dependencies: 0,
    dependents: 0,
    seq: 0,
    last_transition_at: 0,
    created_at: iso(START),
    updated_at: iso(START),
  };
  const check: CheckItem = {
    ...keys.check(TENANT, 'chk_pay'),
    v: 'c1',
    tenant_id: TENANT,
    entity_id: entity.id,
    id: 'chk_pay',
    check_type: 'http',
    execution_mode: 'pull',
    name: 'checkout',
    ...{ target_url: 'https://shop.test/pay', method: 'GET', expected_status: 200 },
    interval_seconds: 60,
    timeout_ms: 5000,
    failure_threshold: 3,
    recovery_threshold: 1,
    enabled: true,
    config: {},
    created_at: iso(START),
    updated_at: iso(START),
    rev: 1,
    settings_at: START,
    state: 'up',
    state_since: iso(START),
    consecutive_failures: 0,
    alerts: {},
  };
  await table.putMany([account, entity, check]);

  return {
    ports,
    keys,
    onChange,
    table,
    context,
    readOnly: { ...context, caller: { ...caller, is_read_only: true } } satisfies StateContext,
    sent,
    published,
    log,
    /** Metrics counted for the operator. */
    counted,
    account,
    entity,
    check,
    put,
    /** Advances the clock. */
    pass: world.advance,
    now,
    /** Removes and returns the due messages of a queue, like its consumer. */
    takeDue: (queue: string): Sent[] => {
      const due = sent.filter((one) => one.queue === queue && (one.not_before ?? 0) <= now());
      for (const one of due) sent.splice(sent.indexOf(one), 1);
      return due;
    },
    /** Makes each write of a delivery fail, until the returned function is called. */
    failRecording: (): (() => void) => {
      const { transact } = ports.table;
      ports.table.transact = (writes) =>
        writes.some((write) => 'put' in write && write.put.pk.includes('#DELIVERIES#'))
          ? Promise.reject(new Error('killed'))
          : transact(writes);
      return () => {
        ports.table.transact = transact;
      };
    },
    putPolicy: (channels: Channel[], changes: Partial<PolicyItem> = {}) =>
      put<PolicyItem>({ ...emptyPolicy(keys, check), v: ports.ids.token(), channels, ...changes }),
    /** Returns a transition of the check whose planned alert notifies these channels. */
    transition: (channel_ids: string[], changes: Partial<DecidedTransition> = {}): DecidedTransition => {
      const transition_id = changes.transition_id ?? 'trn_1';
      return {
        v: ports.ids.token(),
        ...keys.transition(TENANT, check.id, START, 1),
        expires_at: Math.floor(START / 1000) + 90 * 86_400,
        transition_id,
        entity_id: entity.id,
        entity_name: entity.name,
        blueprint_slug: entity.blueprint_slug,
        entity_slug: entity.slug,
        check_id: check.id,
        tenant_id: TENANT,
        from_state: 'up',
        to_state: 'down',
        ...{ check_from_state: 'up', check_to_state: 'down' },
        timestamp: iso(START),
        effective_at: START,
        outage_started_at: iso(START),
        cause: 'result',
        error_message: 'status 503, expected 200',
        alert: plannedAlert(
          channel_ids.map((id) => deliveryIdOf(transition_id, START, 'state_change', 0, id)),
          START,
        ),
        decided_on: decisionInputOf({}, { ...POLICY_DEFAULTS, silenced: false }, channel_ids, START),
        check_label: 'checkout',
        check_from_since: iso(START - 3_600_000),
        seq: 1,
        ...changes,
      };
    },
    /**
     * Returns an alert about a transition for these channels: by default the alert of the state change, decided at
     * START.
     */
    alertOf: (
      transition: DecidedTransition,
      channel_ids: string[],
      { kind = 'state_change', at = START, channel_type = 'slack' }: Partial<AlertOptions> = {},
    ): AlertItem =>
      alertItem(keys, {
        ...{ tenant_id: TENANT, check_id: check.id, entity_id: entity.id, transition, kind, at },
        reports_state:
          kind === 'closed' ? 'up' : reportedStateOf(transition.check_to_state, { notify_on_degraded: true }),
        n: 0,
        channels: channel_ids.map((id) => ({ id, channel_type })),
        expires_at: transition.expires_at,
      }),
    delivery: (id: string) => table.get<DeliveryItem>(keys.delivery(TENANT, id)),
  };
}

export type AlertWorld = Awaited<ReturnType<typeof alertWorld>>;

/** Returns the stream event for new items. */
export const streamEvent = (...items: Item[]) => ({
  Records: items.map((item, i) => ({ dynamodb: { SequenceNumber: String(i + 1), NewImage: marshall(item) } })),
});

/** Returns a queue event. @param budget retry budget of each message */
export const queueEvent = (bodies: unknown[], budget?: RetryBudget) => ({
  Records: bodies.map((body, i) => queueRecord(`m${i + 1}`, body, budget)),
});
