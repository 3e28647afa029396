import { Button } from '#console/parts/button.tsx';
import { Icon } from '#console/parts/icon.tsx';
import { Time } from '#console/parts/time.tsx';
import { MAX_FAILED_POLLS } from '#console/rules/poll-interval.ts';
import { zoneName } from '#console/rules/time.ts';
import { zone } from './appearance.ts';
import { live } from './live.ts';

/** Shows the time of the last successful poll. After several failed polls it warns that the page may be outdated. */
export function LastUpdated() {
  const asOf = live.asOf.value;
  const isLate = live.missed.value >= MAX_FAILED_POLLS;
  const unreachable = live.failure.value?.code === 'UNREACHABLE';
  return (
    <div class={isLate ? 'last-updated late' : 'last-updated'}>
      {/* Announced when the state changes, not at each poll. */}
      <span role="status">
        {isLate && (
          <>
            <Icon name="incidents" />
            <strong>{unreachable ? 'Offline' : 'Out of date'}</strong>{' '}
            <span class="unseen">{live.failure.value?.message}</span>
          </>
        )}
      </span>
      {isLate && (
        <Button small icon="reload" onClick={live.pollNow}>
          Retry now
        </Button>
      )}
      {asOf > 0 && (
        <span
          class="last-updated-time"
          title={isLate ? live.failure.value?.message : `Times are in ${zoneName(zone.value)}`}
        >
          as of <Time at={asOf} as="clock" /> <span class="zone">{zoneName(zone.value)}</span>
        </span>
      )}
    </div>
  );
}
