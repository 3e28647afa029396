import { makeFleet } from './fleet.ts';
import { dividedBy, dollarsOf, noUnits, type Units } from './prices.ts';
import type { Report } from './reports.ts';
import { virtualAws } from './virtual-aws.ts';

const HOUR_MS = 3_600_000;
const CHECKS = 40;
/** Polls that are measured. */
const POLLS = 20;
/** Price of a request through CloudFront, $. */
const EDGE = 1e-6;
/** Polls per hour while a user is present, and full reads per hour. */
const POLLS_AN_HOUR = 3600 / 5;
const LOADS_AN_HOUR = 12;

/** Age of the checks when the console is opened. */
const HOURS = 25;
const MAX_COST = { bars_rru: 10, dollars_an_hour: 0.003 };

/** Prices an open console of 40 checks: it reads news every 5 s, the fleet every 5 minutes and the bars every hour. */
export async function openConsole(): Promise<Report> {
  const aws = virtualAws({}, (source, consumer) => `${source} ${consumer}`);
  const { key } = await makeFleet(aws, { checks: CHECKS });
  aws.start();
  await aws.pass(HOURS * HOUR_MS);
  const get = <Answer>(url: string, path: string) => aws.call<Answer>('api', path, key, { method: 'GET', path: url });
  const { paths } = await aws.during(async () => {
    const [newest] = await get<{ id: string }[]>('/v1/status/transitions?limit=100', 'load');
    const { entities } = await get<{ entities: { id: string }[] }>('/v1/status?counts=false', 'load');
    const ids = entities.map(({ id }) => id).join();
    const to = new Date((Math.floor(aws.now() / HOUR_MS) - 1) * HOUR_MS).toISOString();
    await get(`/v1/history?entity_ids=${ids}&bucket=hour&to=${to}`, 'bars');
    for (let i = 0; i < POLLS; i++) await get(`/v1/status/transitions?limit=200&after=${newest!.id}`, 'poll');
  });
  const units = (path: string): Units => paths.get(path) ?? noUnits();
  const poll = dividedBy(units('poll'), POLLS);
  const dollars = (one: Units, calls: number) => dollarsOf(one) + calls * EDGE;
  const [load, bars] = [units('load'), units('bars')];
  const hour = POLLS_AN_HOUR * dollars(poll, 1) + LOADS_AN_HOUR * dollars(load, 2) + dollars(bars, 1);
  const target = (name: string, figure: number, limit: number) =>
    `${figure <= limit ? 'ok  ' : 'OVER'} ${name}: ${Number(figure.toPrecision(3))}, at most ${limit}`;
  return {
    title: `Open console with ${CHECKS} checks that have run for ${HOURS} hours`,
    text: `Read units: ${poll.read_units} for a poll without news, ${load.read_units} for the fleet, ${bars.read_units} for the bars.`,
    targets: [
      target('read units of the bars of all unchanged checks', bars.read_units, MAX_COST.bars_rru),
      target('$ per hour of an open console', hour, MAX_COST.dollars_an_hour),
    ],
  };
}
