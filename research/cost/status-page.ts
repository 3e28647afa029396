import { gzipSync } from 'node:zlib';
import { hostOf, makeFleet } from './fleet.ts';
import { dollarsOf, noUnits, sumOf, type Units } from './prices.ts';
import { dollars, tableOf } from './report-table.ts';
import type { Report } from './reports.ts';
import { type Counted, virtualAws } from './virtual-aws.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Number of checks (four per entity), and of components (one per check). */
const CHECKS = 50;
const SLUG = 'acme';
/** List prices of CloudFront, $: a request over HTTPS, and a GB to visitors in North America or Europe. */
const EDGE = { request: 1e-6, gigabyte: 0.085 };
const VISITS = 1_000_000;
const HOURS_A_MONTH = 730;
const PUBLISHER = 'publish publisher';

const MAX_DOLLARS = { month_at_rest: 0.6, bad_hour: 0.05, million_visits: 2 };

/** Prices a status page with 50 components: a month at rest, an hour in which checks fail and recover, and visits. */
export async function statusPage(): Promise<Report> {
  const aws = virtualAws({}, (source, consumer) => `${source} ${consumer}`);
  const { key, checks } = await makeFleet(aws, { checks: CHECKS });
  const components = checks.map((check_id, i) => ({ name: `Component ${i}`, check_id }));
  const page = { slug: SLUG, title: 'Acme status', visibility: 'public', groups: [{ name: 'Shop', components }] };
  aws.start();
  await aws.done(aws.call('api', 'set-up', key, { method: 'POST', path: '/v1/status-pages', body: page }));
  await aws.pass(HOUR_MS);

  const rest = await aws.count(HOUR_MS);
  // Every minute another tenth of the checks goes down or up.
  for (let minute = 0; minute < 60; minute++) {
    const manner = Math.floor(minute / 10) % 2 === 0 ? 'fails' : 'answers';
    const changed = Array.from({ length: CHECKS / 10 }, (_, i) => hostOf((minute % 10) * (CHECKS / 10) + i));
    aws.in(minute * MINUTE_MS, () => {
      for (const host of changed) aws.targets.does(host, manner);
    });
  }
  const bad = await aws.count(HOUR_MS);

  const html = await aws.file(`status/${SLUG}/index.html`);
  const bytes = gzipSync(html).length;
  const visits = VISITS * (EDGE.request + (bytes / 1e9) * EDGE.gigabyte);
  const publisher = ({ paths }: Counted): Units => paths.get(PUBLISHER) ?? noUnits();
  const target = (name: string, figure: number, limit: number) =>
    `${figure <= limit ? 'ok  ' : 'OVER'} ${name}: ${dollars(figure)}, at most ${dollars(limit)}`;
  const month = dollarsOf(publisher(rest)) * HOURS_A_MONTH;
  return {
    title: `Status page with ${CHECKS} components, per hour`,
    text: [
      tableOf([
        { name: 'publisher at rest', units: publisher(rest) },
        { name: 'publisher, bad hour', units: publisher(bad) },
        { name: 'everything, bad hour', units: sumOf([...bad.paths.values()]) },
      ]),
      `The page has ${bytes} bytes with gzip.`,
    ].join('\n'),
    targets: [
      target('a month of a status page at rest', month, MAX_DOLLARS.month_at_rest),
      target('a bad hour of a status page', dollarsOf(publisher(bad)), MAX_DOLLARS.bad_hour),
      target('a million cached visits', visits, MAX_DOLLARS.million_visits),
    ],
  };
}
