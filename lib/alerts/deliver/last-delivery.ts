import { type DeliveryItem, type DeliveryRecord, deliveryRecord, type LastDeliveryItem } from './delivery-item.ts';

type Contents = Pick<LastDeliveryItem, 'delivery' | 'announces' | 'test'>;

/** The delivery to show as a channel's latest: the newer of the one that announces a state and the test. */
export const shownOf = (last: Pick<LastDeliveryItem, 'delivery' | 'test'> | undefined): DeliveryRecord | undefined =>
  last?.test ?? last?.delivery;

/**
 * What stands there once a delivery was attempted; undefined when a newer one of its sort does. A test announces no
 * state, so it hides none that does: from that one it is seen whether an older alert goes out after it.
 */
export function withAttempt(last: LastDeliveryItem | undefined, next: DeliveryItem): Contents | undefined {
  const onlyTest = last?.delivery.kind === 'test';
  const told = onlyTest ? undefined : last;
  const test = onlyTest ? last.delivery : last?.test;
  const record = deliveryRecord(next);
  if (next.kind !== 'test') {
    return isNewer(told?.delivery, record) ? undefined : contents(record, next.announces, test);
  }
  if (isNewer(test, record)) return undefined;
  return told ? contents(told.delivery, told.announces, record) : contents(record, null, undefined);
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
