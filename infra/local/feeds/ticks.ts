import type { Store } from '#infra/local/store/store.ts';
import { schedules } from '#infra/topology.ts';
import type { Clock, Log, Queues } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';

const RETRY_MS = 1000;

/** Returns the time (epoch ms) of the last tick; undefined if none. At a start: shortly before the service stopped. */
export function lastTick({ db }: Store): number | undefined {
  const last = db.prepare('SELECT max(last) AS last FROM ticks').get()?.last;
  return typeof last === 'string' ? Date.parse(last) : undefined;
}

/**
 * Sends `{scheduled_time}` of each schedule at the start of each period. The first tick is that of the current period,
 * unless it was already sent. Older ticks are skipped. @returns a function that stops the ticks
 */
export function startTicks(
  store: Store,
  queues: Queues,
  { clock, log }: { clock: Pick<Clock, 'now'>; log: Log },
): () => void {
  const stops = schedules.map((schedule) => startTick(schedule));
  return () => {
    for (const stop of stops) stop();
  };

  function startTick({ name, queue, every_minutes }: (typeof schedules)[number]): () => void {
    const period = every_minutes * 60_000;
    const note = store.db.prepare('INSERT OR REPLACE INTO ticks (schedule, last) VALUES (?, ?)');
    let last = String(store.db.prepare('SELECT last FROM ticks WHERE schedule = ?').get(name)?.last ?? '');
    let timer: NodeJS.Timeout | undefined;
    let stopped = false;

    async function tick(): Promise<void> {
      const due = Math.floor(clock.now() / period) * period;
      const scheduled_time = iso(due);
      let wait = due + period - clock.now();
      try {
        if (scheduled_time !== last) {
          // Written in one turn, so that message and record share a commit.
          const sent = queues.send(queue, [{ body: { scheduled_time } }]);
          await Promise.all([sent, store.write(() => note.run(name, scheduled_time))]);
          last = scheduled_time;
        }
      } catch (error) {
        log.error('tick not sent, will be retried', { schedule: name, scheduled_time, error });
        wait = Math.min(wait, RETRY_MS);
      }
      if (!stopped) timer = setTimeout(tick, Math.max(1, wait));
    }

    void tick();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }
}
