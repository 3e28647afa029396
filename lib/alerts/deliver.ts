import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Channel, PolicyItem } from '#lib/checks/policy-item.ts';
import type { TransitionItem } from '#lib/health/transition-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import type { Item } from '#lib/platform/ports.ts';
import { type Alert, alertOf, testAlertOf } from './alert.ts';
import type { ChannelType } from './channel-type.ts';
import { type DeliveryItem, isOver } from './delivery-item.ts';
import { followUp } from './follow-up.ts';
import { type AttemptOutcome, recordOutcome } from './record-outcome.ts';
import { channelTypeOf } from './registry.ts';
import { type SendWorld, sendAlert } from './send.ts';

export type DeliverWorld = SendWorld & { keys: Keys };

/**
 * One attempt of a delivery, recorded. At least once: a crash between sending and recording sends again, under the same
 * delivery id. A retry is a delayed message; nothing waits here.
 * @param last the message is not given again: instead of a try that may be cut off, the delivery ends as failed
 */
export async function deliver(world: DeliverWorld, message: MessageOf<'delivery'>, last: boolean): Promise<void> {
  const { ports, keys } = world;
  const delivery = await ports.table.get<DeliveryItem>(keys.delivery(message.tenant_id, message.delivery_id));
  if (!delivery) return ports.log.warn('a delivery is gone', message);
  if (isOver(delivery)) return followUp(world, delivery);
  if (last) {
    const error = `given up: the service failed each time that it tried${delivery.error && `; before that: ${delivery.error}`}`;
    await followUp(world, await recordOutcome(world, delivery, { status: 'failed', error, final: true }));
    throw new Error(`delivery ${delivery.id} was given up; see the errors logged for it`);
  }
  if (delivery.next_attempt_at !== undefined && ports.clock.now() < delivery.next_attempt_at) {
    return tryLater(world, delivery);
  }

  const after = await recordOutcome(world, delivery, await attempt(world, delivery));
  ports.log.info('an alert was attempted', {
    tenant_id: after.tenant_id,
    delivery_id: after.id,
    check_id: after.check_id,
    transition_id: after.transition_id,
    channel_type: after.channel_type,
    status: after.status,
    attempts: after.attempts,
    error: after.error,
  });
  return after.status === 'retrying' ? tryLater(world, after) : followUp(world, after);
}

const tryLater = ({ ports }: DeliverWorld, { tenant_id, id, next_attempt_at }: DeliveryItem): Promise<void> => {
  const body: MessageOf<'delivery'> = { tenant_id, delivery_id: id };
  return ports.queues.send('delivery', [
    { body, ...(next_attempt_at !== undefined && { not_before: next_attempt_at }) },
  ]);
};

/** Reads what is to be told to whom as of now, and sends it. Writes nothing. */
export async function attempt(world: DeliverWorld, delivery: DeliveryItem): Promise<AttemptOutcome> {
  const ready = await prepare(world, delivery);
  if ('status' in ready) return ready;
  const error = await sendAlert(world, ready.type, ready.channel.config, ready.alert);
  return error === undefined ? { status: 'sent' } : { status: 'failed', error };
}

type Ready = { type: ChannelType; channel: Channel; alert: Alert };

async function prepare({ ports, keys }: DeliverWorld, delivery: DeliveryItem): Promise<Ready | AttemptOutcome> {
  const { tenant_id, check_id, entity_id, transition_sk } = delivery;
  const [account, entity, check, policy, transition] = await ports.table.getMany<Item>([
    keys.account(tenant_id),
    keys.entity(tenant_id, entity_id),
    keys.check(tenant_id, check_id),
    keys.policy(tenant_id, check_id),
    ...(transition_sk === null ? [] : [{ pk: keys.ofCheck(tenant_id, check_id), sk: transition_sk }]),
  ]);
  if (!account || isDisabled(account as AccountItem)) return never('the account is disabled');
  if (!entity) return never('the entity was deleted', true);
  if (!check && delivery.kind !== 'closed') return never('the check was deleted', true);
  const channel =
    delivery.channel ?? (policy as PolicyItem | undefined)?.channels.find((one) => one.id === delivery.channel_id);
  if (!channel) return never('the channel was removed', true);
  const type = channelTypeOf(channel.channel_type);
  if (!type) return never(`this release knows no channel type ${channel.channel_type}`);
  if (delivery.kind === 'test') {
    return { type, channel, alert: testAlertOf(delivery, check as CheckItem, entity as EntityItem) };
  }
  if (!transition) return never('the transition that it tells of is no longer kept');
  return { type, channel, alert: alertOf(delivery, transition as TransitionItem) };
}

const never = (error: string, orphan = false): AttemptOutcome => ({ status: 'failed', error, final: true, orphan });
