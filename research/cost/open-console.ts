import { makeFleet } from './fleet.ts';
import { dollarsOf, noUnits, shareOf, type Units } from './prices.ts';
import type { Report } from './reports.ts';
import { virtualAws } from './virtual-aws.ts';

const HOUR_MS = 3_600_000;
const CHECKS = 40;
const LOOKS = 20;
/** Price of a call of CloudFront, $. */
const EDGE = 1e-6;
/** Looks of the poller while a user is present, and how often it reads everything. */
const LOOKS_AN_HOUR = 3600 / 5;
const LOADS_AN_HOUR = 12;

/** Age of the checks when the console is opened. */
const HOURS = 25;
const MAX_COST = { bars_rru: 10, dollars_an_hour: 0.003 };

/** Prices an open console of 40 checks: it reads news every 5 s, the fleet every 5 minutes and the bars every hour. */
export async function openConsole(): Promise<Report> {
  const aws = virtualAws({}, (source, consumer) => `${source} ${consumer}`);
  const { key } = await makeFleet(aws, { checks: CHECKS });
  aws.begin();
  await aws.pass(HOURS * HOUR_MS);
  const get = <Answer>(path: string, of: string) => aws.call<Answer>('api', of, key, { method: 'GET', path });
  const { paths } = await aws.during(async () => {
    const [newest] = await get<{ id: string }[]>('/v1/status/transitions?limit=100', 'load');
    const { entities } = await get<{ entities: { id: string }[] }>('/v1/status?counts=false', 'load');
    const ids = entities.map(({ id }) => id).join();
    const to = new Date((Math.floor(aws.now() / HOUR_MS) - 1) * HOUR_MS).toISOString();
    await get(`/v1/history?entity_ids=${ids}&bucket=hour&to=${to}`, 'bars');
    for (let i = 0; i < LOOKS; i++) await get(`/v1/status/transitions?limit=200&after=${newest!.id}`, 'look');
  });
  const units = (path: string): Units => paths.get(path) ?? noUnits();
  const look = shareOf(units('look'), LOOKS);
  const dollars = (one: Units, calls: number) => dollarsOf(one) + calls * EDGE;
  const [load, bars] = [units('load'), units('bars')];
  const hour = LOOKS_AN_HOUR * dollars(look, 1) + LOADS_AN_HOUR * dollars(load, 2) + dollars(bars, 1);
  const target = (name: string, figure: number, most: number) =>
    `${figure <= most ? 'ok  ' : 'OVER'} ${name}: ${Number(figure.toPrecision(3))}, at most ${most}`;
  return {
    title: `An open console of ${CHECKS} checks that have run for ${HOURS} hours`,
    text: `Read units: ${look.read_units} of a look without news, ${load.read_units} of the fleet, ${bars.read_units} of the bars.`,
    targets: [
      target('read units of the bars of all checks, of which none changed', bars.read_units, MAX_COST.bars_rru),
      target('$ an hour and open console', hour, MAX_COST.dollars_an_hour),
    ],
  };
}
