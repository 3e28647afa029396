import { Button } from '#console/parts/button.tsx';
import { Icon } from '#console/parts/icon.tsx';
import { Time } from '#console/parts/time.tsx';
import { MISSED_LOOKS } from '#console/rules/poll-interval.ts';
import { zoneName } from '#console/rules/time.ts';
import { zone } from './appearance.ts';
import { live } from './live.ts';

/**
 * When the service was last asked with success. After some looks that failed it warns, as what the page shows may be
 * wrong by then; it recovers by itself.
 */
export function LastUpdated() {
  const asOf = live.asOf.value;
  const isLate = live.missed.value >= MISSED_LOOKS;
  const unreachable = live.failure.value?.code === 'UNREACHABLE';
  return (
    <div class={isLate ? 'as-of late' : 'as-of'}>
      {/* Read out when it changes for the worse or the better, not each time it looks. */}
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
        <Button small icon="reload" onClick={live.lookNow}>
          Try now
        </Button>
      )}
      {asOf > 0 && (
        <span class="as-of-time" title={isLate ? live.failure.value?.message : `Times are in ${zoneName(zone.value)}`}>
          as of <Time at={asOf} as="clock" /> <span class="zone">{zoneName(zone.value)}</span>
        </span>
      )}
    </div>
  );
}
