import { Button } from '#console/parts/button.tsx';
import { Icon } from '#console/parts/icon.tsx';
import { Time } from '#console/parts/time.tsx';
import { zoneName } from '#console/rules/time.ts';
import { zone } from './appearance.ts';
import { isOutdated, live } from './live.ts';

export function LastUpdated() {
  const asOf = live.asOf.value;
  if (asOf === 0) return null;
  return (
    <span class="last-updated" title={`Times are in ${zoneName(zone.value)}`}>
      as of <Time at={asOf} as="clock" /> <span class="zone">{zoneName(zone.value)}</span>
    </span>
  );
}

export function OutdatedBanner() {
  const failure = live.failure.value;
  const asOf = live.asOf.value;
  return (
    // Always rendered, so that screen readers announce the banner when it appears, not at each poll.
    <div role="status" class={isOutdated.value ? 'banner outdated-banner' : undefined}>
      {isOutdated.value && (
        <>
          <Icon name="incidents" />
          <p>
            <strong>{failure?.code === 'UNREACHABLE' ? 'Offline' : 'Out of date'}.</strong> {failure?.message}{' '}
            {asOf > 0 && (
              <>
                The page shows states as of <Time at={asOf} as="clock" />.
              </>
            )}
          </p>
          <Button small icon="reload" onClick={live.pollNow}>
            Retry now
          </Button>
        </>
      )}
    </div>
  );
}
