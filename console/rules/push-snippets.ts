/** How a cron job pings. @param url the ping URL of its check @param schedule of the check, where it has one */
export function pingSnippets(url: string, intervalSeconds: number, schedule?: string) {
  const fields = schedule !== undefined && isCron(schedule) ? schedule : cronOf(intervalSeconds);
  const ping = `curl -fsS -m 10 --retry 5 -o /dev/null --data-raw "$out" ${url}/$?`;
  return {
    crontab: `${fields} out=$(/path/to/job 2>&1); ${ping}`,
    start: `curl -fsS -m 10 --retry 5 ${url}/start`,
  };
}

/** One line of five fields, or a nickname such as @daily; not OnCalendar. */
const isCron = (schedule: string): boolean =>
  schedule.startsWith('@') || (!schedule.includes('\n') && schedule.trim().split(/\s+/).length === 5);

/** When cron runs a job that is due each so many seconds: the nearest that it can say which is at least as often. */
export function cronOf(seconds: number): string {
  const minutes = Math.max(1, Math.floor(seconds / 60));
  if (minutes < 60) return `*/${largestPart(60, minutes)} * * * *`.replace('*/1 ', '* ');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `0 */${largestPart(24, hours)} * * *`.replace('*/1 ', '* ');
  return '0 3 * * *';
}

/** The greatest divisor of `whole` that is at most `n`, so that steps are even. */
const largestPart = (whole: number, n: number): number => {
  for (let part = n; part > 1; part--) if (whole % part === 0) return part;
  return 1;
};
