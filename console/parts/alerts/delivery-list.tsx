import { channelTitle } from '#console/api/check-names.ts';
import type { Delivery, State } from '#console/api/records.ts';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Time } from '#console/parts/time.tsx';
import { kindOf, STATUS } from '#console/rules/alert-reason.ts';
import type { StepRecipient } from '#console/rules/escalation.ts';
import { count } from '#console/rules/words.ts';

export const DELIVERY_STATE: Readonly<Record<Delivery['status'], State>> = {
  sent: 'up',
  pending: 'unknown',
  retrying: 'degraded',
  failed: 'down',
};

export const DeliveryOutcome = ({
  delivery: { status, attempts, combined_in, sent_at, created_at, error },
}: {
  delivery: Delivery;
}) => (
  <>
    <StateMark state={DELIVERY_STATE[status]} word={STATUS[status]} />{' '}
    <span class="hint">
      {attempts > 0 && `${count(attempts, 'attempt')}, `}
      {combined_in && 'in one message with others, '}
      <Time at={sent_at ?? created_at} />
    </span>
    {error && (
      <p class="alert-error" dir="auto">
        {error}
      </p>
    )}
  </>
);

export const DeliveryList = ({
  deliveries,
  channels,
}: {
  deliveries: readonly Delivery[];
  channels: readonly StepRecipient[] | undefined;
}) => (
  <ul class="deliveries">
    {deliveries.map((delivery) => {
      const channel = channels?.find(({ id }) => id === delivery.channel_id);
      return (
        <li key={delivery.id}>
          <span class="delivery-to">
            <strong dir="auto">{channel?.name ?? channelTitle(delivery.channel_type)}</strong>
            {!channel && channels && ' (removed)'}
            {delivery.kind !== 'state_change' && <span class="tag">{kindOf(delivery)}</span>}
          </span>
          <span>
            <DeliveryOutcome delivery={delivery} />
          </span>
        </li>
      );
    })}
  </ul>
);
