/**
 * How late (s) a message of EventBridge Scheduler is handled, by the time that it was scheduled for; undefined for
 * every other event.
 */
export function scheduleLag(event: unknown, now: number): number | undefined {
  const records = (event as { Records?: { body?: unknown }[] } | undefined)?.Records;
  const body = records?.[0]?.body;
  if (typeof body !== 'string' || !body.includes('"scheduled_time"')) return undefined;
  const { scheduled_time } = JSON.parse(body) as { scheduled_time?: string };
  const at = Date.parse(scheduled_time ?? '');
  return Number.isNaN(at) ? undefined : Math.max(0, (now - at) / 1000);
}
