import type { MaintenanceWindow } from '#console/api/records.ts';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Time } from '#console/parts/time.tsx';
import { duration } from '#console/rules/time.ts';
import type { WindowStatus } from '#console/rules/windows/times.ts';

const STATUS_MARK = { open: ['degraded', 'Open'], next: ['unknown', 'Planned'], over: ['up', 'Over'] } as const;

export function WindowStatusMark({ of: { is } }: { of: WindowStatus }) {
  const [state, word] = STATUS_MARK[is];
  return <StateMark state={state} word={word} />;
}

/** Shows the end of an open or past window, or the next occurrence. */
export function WhenOpen({ of, window }: { of: WindowStatus; window: Pick<MaintenanceWindow, 'ends_at'> }) {
  if (of.is === 'over' && window.ends_at === null) return <span class="hint">no more occurrences</span>;
  if (of.is === 'over') {
    return (
      <>
        until <Time at={window.ends_at!} as="full" />
      </>
    );
  }
  const { from, to } = of.occurrence;
  if (of.is === 'open') {
    return (
      <>
        until <Time at={to} as="full" />
      </>
    );
  }
  return (
    <>
      <Time at={from} as="full" /> for {duration(to - from)}
    </>
  );
}

export function Recurrence({ window: { cron, time_zone, every_weeks } }: { window: MaintenanceWindow }) {
  if (cron === null) return <>once</>;
  const weeks = every_weeks !== null && every_weeks > 1 ? `, every ${every_weeks} weeks` : '';
  return (
    <>
      <code>{cron}</code> {time_zone}
      {weeks}
    </>
  );
}
