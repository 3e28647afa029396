import {
  type DeliveryItem,
  type DeliveryRecord,
  deliveryRecord,
  type LastDeliveryItem,
} from '#lib/alerting/notify/delivery-item.ts';

type Contents = Pick<LastDeliveryItem, 'delivery' | 'announces' | 'test'>;

/** The delivery to show as a channel's latest: the newer of the one that announces a state and the test. */
export const shownOf = (last: Pick<LastDeliveryItem, 'delivery' | 'test'> | undefined): DeliveryRecord | undefined =>
  last?.test ?? last?.delivery;

/**
 * The next contents after an attempt; undefined when a newer delivery of the same sort is kept. A test announces no
 * state, so it never replaces a delivery that does: that one shows whether an older alert goes out after it.
 */
export function withAttempt(last: LastDeliveryItem | undefined, next: DeliveryItem): Contents | undefined {
  const onlyTest = last?.delivery.kind === 'test';
  const announcing = onlyTest ? undefined : last;
  const test = onlyTest ? last.delivery : last?.test;
  const record = deliveryRecord(next);
  if (next.kind !== 'test') {
    return isNewer(announcing?.delivery, record) ? undefined : contents(record, next.announces, test);
  }
  if (isNewer(test, record)) return undefined;
  return announcing ? contents(announcing.delivery, announcing.announces, record) : contents(record, null, undefined);
}

const isNewer = (present: DeliveryRecord | undefined, next: DeliveryRecord): boolean =>
  present !== undefined && present.id > next.id;

const contents = (
  delivery: DeliveryRecord,
  announces: Contents['announces'],
  test: DeliveryRecord | undefined,
): Contents => ({
  delivery,
  announces,
  ...(test && isNewer(test, delivery) && { test }),
});
