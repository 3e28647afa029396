import { type AlertItem, type AlertTarget, deliveriesOf } from '#lib/alerting/decide/alert-item.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import { channelIn, channelPlace } from '#lib/alerting/policy/channel-field.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import type { Env } from '#lib/env.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { type DeliveryItem, joinGroup } from './delivery-item.ts';
import { followUp } from './follow-up.ts';
import { recordOutcome } from './record-outcome.ts';

/**
 * A delivery that was not attempted yet. Its `created_at` is the time in its id, the alert's: lists have that order. It
 * lives as long as the alert.
 */
export function newDelivery(
  { ports, keys }: Env,
  alert: AlertItem,
  { delivery_id: id, channel_id, channel_type, destination }: AlertTarget,
): DeliveryItem {
  const {
    tenant_id,
    kind,
    transition_id,
    transition_sk,
    reports_state,
    check_id,
    entity_id,
    series,
    step,
    group,
    expires_at,
  } = alert;
  const made_at = ports.clock.now();
  return {
    ...keys.delivery(tenant_id, id),
    v: ports.ids.token(),
    ...(expires_at !== undefined && { expires_at }),
    ...{ tenant_id, id, kind, transition_id, transition_sk, reports_state, check_id, entity_id, channel_id, channel_type },
    alert:
      kind === 'test'
        ? null
        : {
            id: alert.id,
            sk: alert.sk,
            deliveries: deliveriesOf(alert),
            ...(series && { series }),
          },
    group_id: group?.id ?? null,
    ...(group &&
      destination !== undefined &&
      tellsTogether(channel_type) && { leads_to: destination, next_attempt_at: group.at + FANNED_OUT_MS }),
    step: step === undefined ? null : step + 1,
    status: 'pending',
    attempts: 0,
    sent_at: null,
    error: '',
    created_at: iso(timeOf(id)),
    updated_at: iso(made_at),
    made_at,
  };
}

/** So long (ms) after a group's time all its deliveries are made; one that comes later is told by itself. */
const FANNED_OUT_MS = 1_000;

/** People read one message of many; programs go by each alert. */
const tellsTogether = (channel_type: string): boolean => channelTypeOf(channel_type)?.read_by === 'people';

/** The writes that create a delivery: the record, its place among those that are still unsent, and in its group. */
const creation = (env: Env, delivery: DeliveryItem): Write[] => [
  { put: delivery, if: 'absent' },
  { put: { ...env.keys.unsentDelivery(delivery.id), ...(delivery.expires_at && { expires_at: delivery.expires_at }) } },
  ...joinGroup(env, delivery),
];

/**
 * Creates a delivery, or answers what stands there already: its id follows from what it is about.
 * @param beside what else is written in the same transaction
 */
export const createDelivery = (
  env: Env,
  delivery: DeliveryItem,
  beside: () => Write[] = () => [],
): Promise<DeliveryItem> =>
  retryOnConflict(env.ports, async () => {
    const outcome = await env.ports.table.transact([...creation(env, delivery), ...beside()]);
    if (outcome.ok) return delivery;
    return (outcome.present[0] as DeliveryItem | undefined) ?? RETRY;
  });

/** Enqueues those of these deliveries that were not attempted yet. Repeatable. */
async function enqueuePending({ ports }: Env, deliveries: readonly DeliveryItem[]): Promise<void> {
  const pending = deliveries.filter(({ status }) => status === 'pending');
  if (pending.length === 0) return;
  await ports.queues.send(
    'delivery',
    pending.map(({ tenant_id, id, next_attempt_at: at }) => ({
      body: { tenant_id, delivery_id: id },
      ...(at !== undefined && { not_before: at }),
      group: tenant_id,
    })),
  );
}

/**
 * Makes the deliveries of an alert, and hands them over. They are named by the alert, so that a second time makes
 * nothing anew and sends again only what is still pending.
 * @param isLast what cannot be handed over ends as failed; throws all the same
 */
export async function fanOut(env: Env, alert: AlertItem, isLast: boolean): Promise<void> {
  try {
    await enqueuePending(env, await madeOf(env, alert));
  } catch (error) {
    if (isLast) await failPending(env, alert).catch((fault) => noteLeft(env, alert, fault));
    throw error;
  }
}

/** The deliveries of an alert as they stand: made now, or by an earlier call. */
async function madeOf(env: Env, alert: AlertItem): Promise<DeliveryItem[]> {
  const { ports, keys } = env;
  const { tenant_id, check_id, kind, to } = alert;
  // The policy of a check that was deleted goes too: its last alert takes the channels along.
  const places = to.map(({ channel_id }) => channelPlace(keys, tenant_id, check_id, channel_id));
  const items = kind === 'closed' ? await ports.table.getMany<PolicyItem | AccountChannel>(places) : [];
  return Promise.all(
    to.map((target, i) => {
      const channel = channelIn(items[i], target.channel_id);
      return createDelivery(env, { ...newDelivery(env, alert, target), ...(channel && { channel }) });
    }),
  );
}

async function failPending(env: Env, alert: AlertItem): Promise<void> {
  const error = 'the alert could not be handed over for delivery; this is a fault of the service and was logged';
  for (const delivery of await madeOf(env, alert)) {
    if (delivery.status !== 'pending') continue;
    // Each for itself: what keeps one from its end, or from what follows, is no reason to leave the others pending.
    try {
      await followUp(env, await recordOutcome(env, delivery, { status: 'failed', error, final: true }));
    } catch (fault) {
      noteLeft(env, alert, fault, delivery.id);
    }
  }
}

/** Logged, as the error that is thrown is the one for which nothing could be handed over. */
function noteLeft({ ports }: Env, alert: AlertItem, error: unknown, delivery_id?: string): void {
  const { tenant_id, check_id, transition_id, id: alert_id } = alert;
  ports.log.error('a delivery that was given up could not be ended', {
    tenant_id,
    check_id,
    transition_id,
    alert_id,
    delivery_id,
    error,
  });
}
