import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DeliveryItem,
  type LastDeliveryItem,
  latestDeliveryOf,
  withAttempt,
} from '#lib/alerting/notify/delivery-item.ts';

type Attempt = { n: number; isTest: boolean; status: 'retrying' | 'sent' | 'failed' };

const deliveryOf = ({ n, isTest, status }: Attempt): DeliveryItem => ({
  pk: 'p',
  sk: 's',
  v: 'v',
  tenant_id: 'acc_a',
  id: `dlv_${n}`,
  kind: isTest ? 'test' : 'state_change',
  transition_id: null,
  transition_sk: null,
  from_state: isTest ? null : 'up',
  to_state: isTest ? null : n % 2 ? 'down' : 'up',
  check_id: 'chk_1',
  entity_id: 'ent_1',
  channel_id: 'chn_1',
  channel_type: 'slack',
  alert: null,
  step: null,
  group_id: null,
  combined_in: null,
  status,
  attempts: 1,
  sent_at: null,
  error: '',
  created_at: '',
  updated_at: '',
});

const attempts = fc.array(
  fc.record({ n: fc.nat(9), status: fc.constantFrom('retrying' as const, 'sent' as const, 'failed' as const) }),
  { minLength: 1, maxLength: 20 },
);

describe('withAttempt', () => {
  it('keeps the newest delivery, and the newest alert if the newest delivery is a test, in any order', () => {
    fc.assert(
      fc.property(attempts, fc.uniqueArray(fc.nat(9)), (all, tests) => {
        const made = all.map((one) => deliveryOf({ ...one, isTest: tests.includes(one.n) }));
        let last: LastDeliveryItem | undefined;
        for (const one of made) {
          const next = withAttempt(last, one);
          if (next) last = { pk: 'p', sk: 's', v: 'v', ...next };
        }
        const newest = (some: DeliveryItem[]) =>
          some.filter(
            ({ id }) =>
              id ===
              some
                .map((one) => one.id)
                .sort()
                .at(-1),
          );
        const shown = newest(made).at(-1)!;
        expect(latestDeliveryOf(last)).toMatchObject({ id: shown.id, status: shown.status });
        const alert = newest(made.filter(({ kind }) => kind !== 'test')).at(-1) ?? shown;
        expect(last).toMatchObject({ delivery: { id: alert.id, status: alert.status, to_state: alert.to_state } });
      }),
    );
  });
});
