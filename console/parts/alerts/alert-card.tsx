import { useState } from 'preact/hooks';
import { channelTitle } from '#console/api/check-names.ts';
import { useEvery } from '#console/api/every.ts';
import { type Loaded, useLoad } from '#console/api/load.ts';
import { reasons } from '#console/api/reasons.ts';
import type { Delivery, Transition } from '#console/api/records.ts';
import { Icon } from '#console/parts/icon.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Data } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { alertReason, CAUSE, isOpen } from '#console/rules/alert-reason.ts';
import type { StepRecipient } from '#console/rules/escalation.ts';
import { STATE_WORD } from '#console/rules/states.ts';
import { duration } from '#console/rules/time.ts';
import { DeliveryList } from './delivery-list.tsx';
import { AlertExplanation } from './explanation.tsx';

const POLL_MS = 2000;

type CardProps = {
  transition: Transition;
  before: Transition | undefined;
  channels: readonly StepRecipient[] | undefined;
  startsOpen: boolean;
};

export function AlertCard({ transition, before, channels, startsOpen }: CardProps) {
  const { id, timestamp, check_from_state, check_to_state, outage_started_at, error_message, cause } = transition;
  const [opened, open] = useState(startsOpen);
  const deliveries = useLoad<Delivery[]>(opened ? `/v1/notify/logs?transition_id=${id}` : null, { all: true });
  useEvery(opened && deliveries.data?.some(isOpen) ? POLL_MS : undefined, deliveries.reload);
  const { alerted, text } = alertReason(transition, reasons, {
    deliveries: deliveries.data,
    titleOf: channelTitle,
  });
  const failing = outage_started_at ? Date.parse(timestamp) - Date.parse(outage_started_at) : 0;
  const lasted = before && Date.parse(timestamp) - Date.parse(before.outage_started_at ?? before.timestamp);
  return (
    <article class="alert-card">
      <header>
        <StateMark state={check_to_state} />
        {lasted !== undefined && check_from_state !== 'unknown' && (
          <span class="hint">
            after {duration(lasted)} {STATE_WORD[check_from_state].toLowerCase()}
          </span>
        )}
        {cause !== 'result' && <span class="hint">{CAUSE[cause]}</span>}
        <span class="alert-when">
          <Time at={timestamp} as="full" /> (<Time at={timestamp} />)
        </span>
      </header>
      {error_message && (
        <p class="alert-error" dir="auto">
          {error_message}
          {outage_started_at && failing >= 1000 && (
            <span class="hint">
              {' '}
              failing since <Time at={outage_started_at} as="clock" />
            </span>
          )}
        </p>
      )}
      <details open={opened} onToggle={(event) => open(event.currentTarget.open)}>
        <summary>
          <Icon name={alerted ? 'done' : 'muted'} />
          <span>
            <strong>{alerted ? 'Alerted.' : 'Not alerted.'}</strong> {text}
          </span>
          <Icon name={opened ? 'down' : 'right'} />
        </summary>
        {opened && <Deliveries of={deliveries} channels={channels} />}
        {opened && <AlertExplanation transition={id} />}
      </details>
    </article>
  );
}

const Deliveries = ({ of, channels }: { of: Loaded<Delivery[]>; channels: readonly StepRecipient[] | undefined }) => (
  <Data of={of} what="Loading the deliveries">
    {(found) =>
      found.length === 0 ? <p class="hint">No deliveries.</p> : <DeliveryList deliveries={found} channels={channels} />
    }
  </Data>
);
