import { makeFleet } from './fleet.ts';
import { dollarsOf, noUnits, shareOf, type Units } from './prices.ts';
import { virtualAws } from './virtual-aws.ts';

const HOUR_MS = 3_600_000;
const CHECKS = 40;
const LOOKS = 20;
/** Of CloudFront, $ a call. */
const EDGE = 1e-6;
/** As the poller has it while somebody is there, and how often it reads all anew. */
const LOOKS_AN_HOUR = 3600 / 5;
const LOADS_AN_HOUR = 12;

export type OpenConsole = {
  /** Read units of a look without news, of the fleet, and of the bars of all checks, none of which changed. */
  look_rru: number;
  load_rru: number;
  bars_rru: number;
  /** $ an hour with looks each 5 s, the fleet read anew each 5 minutes, and the bars each hour. */
  dollars_an_hour: number;
};

/** What an open console costs whose fleet page shows 40 checks that have run for `hours`. */
export async function openConsole(hours: number): Promise<OpenConsole> {
  const aws = virtualAws({}, (source, consumer) => `${source} ${consumer}`);
  const { key } = await makeFleet(aws, { checks: CHECKS });
  aws.begin();
  await aws.pass(hours * HOUR_MS);
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
  return {
    look_rru: look.read_units,
    load_rru: units('load').read_units,
    bars_rru: units('bars').read_units,
    dollars_an_hour:
      LOOKS_AN_HOUR * dollars(look, 1) + LOADS_AN_HOUR * dollars(units('load'), 2) + dollars(units('bars'), 1),
  };
}
