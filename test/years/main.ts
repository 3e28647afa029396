import { parseArgs } from 'node:util';
import { DAY, HOUR, MINUTE, type Plan, run } from './run.ts';

/**
 * `npm run test:nightly -- years --only year|week [--days N]`: a year of one check and a week of a thousand, simulated
 * by the embedded service in virtual time, on disk. Prints size and speed of its data, row by row, and exits with 1 if
 * a figure still grew by over 15 % in the last third, or another requirement failed.
 */
const { values } = parseArgs({ options: { only: { type: 'string' }, days: { type: 'string' } } });

const PLANS: Record<string, Plan> = {
  year: {
    title: 'A year of one check every 60 s; results are kept for 30 days',
    checks: 1,
    interval_seconds: 60,
    retention: 30,
    length: 365 * DAY,
    step: DAY,
    timed: HOUR,
    restart_every: 5,
    spells: { once_in: 6 * HOUR, shortest: 3 * MINUTE, longest: 12 * MINUTE },
  },
  week: {
    title: 'A week of 1,000 checks every 300 s; results are kept for one day',
    checks: 1000,
    // At 60 s the week would take five times longer.
    interval_seconds: 300,
    retention: 1,
    length: 7 * DAY,
    step: 6 * HOUR,
    timed: HOUR,
    restart_every: 1,
    spells: { once_in: 3 * DAY, shortest: 10 * MINUTE, longest: 30 * MINUTE },
  },
};

const chosen = values.only === undefined ? Object.keys(PLANS) : [values.only];
for (const name of chosen) {
  const plan = PLANS[name];
  if (!plan) throw new Error(`Unknown plan ${name}; use ${Object.keys(PLANS).join(' or ')}.`);
  const code = await run({ ...plan, ...(values.days && { length: Number(values.days) * DAY }) });
  process.exitCode = Math.max(Number(process.exitCode ?? 0), code);
}
