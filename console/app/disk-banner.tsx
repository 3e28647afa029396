import { useEvery } from '#console/api/every.ts';
import { useLoad } from '#console/api/load.ts';
import type { Health } from '#console/api/records.ts';
import { HelpLink } from '#console/parts/help-link.tsx';
import { Icon } from '#console/parts/icon.tsx';
import { me } from './session.ts';

const HEALTH_POLL_MS = 300_000;

/** Banner for admins while the disk of the service is nearly full. */
export function DiskBanner() {
  const health = useLoad<Health>(me.value?.role === 'admin' ? '/v1/health' : null);
  useEvery(HEALTH_POLL_MS, health.reload);
  const disk = health.data?.disk;
  return (
    <div role="status" class={disk?.ok === false ? 'banner disk-banner' : undefined}>
      {disk?.ok === false && (
        <>
          <Icon name="incidents" />
          <p>
            <strong>Low disk space.</strong> {disk.free_percent} % of the disk of the service is free. Writes fail when
            it is full. <HelpLink to="disk" />
          </p>
        </>
      )}
    </div>
  );
}
