import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { IncidentItem } from '#lib/incidents/incident.ts';
import type { PublicUpdateItem } from '#lib/incidents/public-updates.ts';
import type { Item } from '#lib/platform/ports.ts';
import { type Commit, changesIn, type Inside, keyText, type Seen } from './inside.ts';

type SubscriberItem = Item & { id: string; component_ids: string[]; created_at: string };
/** A subscriber of a status page; `removed`: the commit of its removal. */
type Subscriber = { item: SubscriberItem; removed?: Commit };
/** A public update as published, and its components; if it names none, the components of its incident at that time. */
type Published = { commit: Commit; update: PublicUpdateItem; affected: string[] };

/**
 * Promise: a public update with `notify` that is not deleted has a delivery to each subscriber that was
 * added before it, wants its components, and is not removed; the promise `alerts` says how a delivery ends. A
 * subscriber has at most one delivery of an update, and none of an update without `notify`, or published before
 * it was added, after its removal, or about other components. No function run that starts after the removal of a
 * subscriber sends to it.
 */
export function checkSubscribers({ seen }: Inside): string[] {
  const wrong: string[] = [];
  const subscribers = new Map([...subscribersIn(seen)].map((one) => [one.item.id, one]));
  const updates = new Map(publishedIn(seen).map((one) => [one.update.id, one]));
  const deliveries = changesIn(seen).flatMap(({ key, before, after }) =>
    !before && key.pk.includes('#DELIVERIES#') && (after as DeliveryItem).status_update ? [after as DeliveryItem] : [],
  );
  const ofUpdates = Map.groupBy(deliveries, ({ channel_id, status_update }) => `${channel_id} ${status_update!.id}`);

  for (const { update, affected } of updates.values()) {
    if (!update.notify || !seen.table.has(keyText(update))) continue;
    for (const { item, removed } of subscribers.values()) {
      const isDue = !removed && item.created_at <= update.at && wants(item, affected);
      if (isDue && !ofUpdates.has(`${item.id} ${update.id}`)) wrong.push(`${item.id} has no delivery of ${update.id}`);
    }
  }
  for (const { id, channel_id, status_update } of deliveries) {
    const { item, removed } = subscribers.get(channel_id)!;
    const say = (why: string) => wrong.push(`delivery ${id} of ${status_update!.id} to ${channel_id}: ${why}`);
    if (status_update!.at < item.created_at) say('the update is older than the subscriber');
    const published = updates.get(status_update!.id);
    if (!published) continue;
    const { update, commit } = published;
    const incident = [...seen.table.values()].find((one) => (one as { id?: string }).id === update.incident_id);
    const { component_ids = [] } = incident as IncidentItem;
    if (!update.notify) say('the update was published without notify');
    if (removed && removed.n < commit.n) say('the subscriber had been removed');
    if (!wants(item, update.component_ids.length > 0 ? update.component_ids : component_ids))
      say('the subscriber did not select its components');
  }
  for (const [what, { length }] of ofUpdates) if (length > 1) wrong.push(`${what}: ${length} deliveries`);
  const recipientOf = new Map(deliveries.map(({ id, channel_id }) => [id, channel_id]));
  for (const { delivery_id, at, run } of seen.received) {
    const removed = subscribers.get(recipientOf.get(delivery_id) ?? '')?.removed;
    if (removed && run !== undefined && seen.runs.get(run)!.began_at > removed.at)
      wrong.push(`delivery ${delivery_id} was sent at ${at}, after its subscriber was removed at ${removed.at}`);
  }
  return wrong;
}

const wants = ({ component_ids }: SubscriberItem, about: readonly string[]): boolean =>
  component_ids.length === 0 || component_ids.some((id) => about.includes(id));

/** Returns all subscribers of status pages, including removed ones. */
export function subscribersIn(seen: Seen): Iterable<Subscriber> {
  const all = new Map<string, Subscriber>();
  for (const { key, before, after, commit } of changesIn(seen)) {
    if (!key.sk.startsWith('SUB#')) continue;
    const item = (after ?? before) as SubscriberItem | undefined;
    if (item) all.set(item.id, { item, ...(!after && { removed: commit }) });
  }
  return all.values();
}

/** Returns the public updates of incidents as published, including deleted ones. */
function publishedIn(seen: Seen): Published[] {
  return changesIn(seen).flatMap(({ key, before, after, commit }) => {
    if (!key.sk.startsWith('U#upd_') || before || !after) return [];
    const update = after as PublicUpdateItem;
    const incident = commit.changes.find((one) => (one.after as IncidentItem | undefined)?.id === update.incident_id);
    const { component_ids = [] } = (incident?.after ?? {}) as Partial<IncidentItem>;
    return [{ commit, update, affected: update.component_ids.length > 0 ? update.component_ids : component_ids }];
  });
}
