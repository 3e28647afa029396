/** Returns cron examples with pings. @param url ping URL @param schedule of the check, if it has one */
export function pingSnippets(url: string, intervalSeconds: number, schedule?: string) {
  const fields = schedule !== undefined && isCron(schedule) ? schedule : cronOf(intervalSeconds);
  const ping = `curl -fsS -m 10 --retry 5 -o /dev/null --data-raw "$out" ${url}/$?`;
  return {
    crontab: `${fields} out=$(/path/to/job 2>&1); ${ping}`,
    start: `curl -fsS -m 10 --retry 5 ${url}/start`,
  };
}

/** Whether a schedule is a crontab line or a nickname such as @daily, not OnCalendar. */
const isCron = (schedule: string): boolean =>
  schedule.startsWith('@') || (!schedule.includes('\n') && schedule.trim().split(/\s+/).length === 5);

/** Returns a cron schedule that runs at least every `seconds`, from once a minute to once a day. */
export function cronOf(seconds: number): string {
  const minutes = Math.max(1, Math.floor(seconds / 60));
  if (minutes < 60) return `*/${largestDivisor(60, minutes)} * * * *`.replace('*/1 ', '* ');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `0 */${largestDivisor(24, hours)} * * *`.replace('*/1 ', '* ');
  return '0 3 * * *';
}

const largestDivisor = (whole: number, n: number): number => {
  for (let divisor = n; divisor > 1; divisor--) if (whole % divisor === 0) return divisor;
  return 1;
};
