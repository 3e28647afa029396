import { parseArgs } from 'node:util';
import { type Outcome, outcomeOf, row } from './measure.ts';
import { icinga } from './policies/icinga.ts';
import { ours } from './policies/ours.ts';
import type { Policy } from './policies/policy.ts';
import { service } from './policies/service.ts';
import { groupWait, none, parentDown } from './policies/simple.ts';
import { makeIncident, SCENARIOS, type Scenario } from './scenes.ts';
import type { Catalog } from './world.ts';

// Random incidents in random fleets, under several ways to alert:
// `npm run test:graphs -- --seed 1 --runs 100 --service`.

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '100' },
    only: { type: 'string' },
    // With the service itself, which takes seconds an incident.
    service: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const runs = Number(values.runs);
const POLICIES: Policy[] = [
  ...[none, parentDown, icinga, groupWait(30_000), groupWait(60_000), ours],
  ...(values.service ? [service] : []),
];
const HEADINGS = [
  'rule',
  'pages: mean, p95, most',
  'messages',
  'first page later (s): p50, p95, most',
  'root named after (s): p50, p95',
  'silent',
];

async function table(scenario: Scenario, catalog: Catalog): Promise<string[][]> {
  const outcomes = new Map<string, Outcome[]>(POLICIES.map(({ name }) => [name, []]));
  for (let n = 0; n < runs; n++) {
    const incident = makeIncident(seed * 100_000 + n, scenario, catalog);
    for (const { name, live } of POLICIES) outcomes.get(name)!.push(outcomeOf(incident, await live(incident.scene())));
  }
  const today = outcomes.get(none.name)!;
  return [...outcomes].map(([name, own]) => row(name, own, today));
}

for (const catalog of ['true', 'imperfect'] as const) {
  for (const scenario of SCENARIOS) {
    if (values.only !== undefined && values.only !== scenario) continue;
    console.log(`\n${scenario}, ${catalog} catalog, ${runs} incidents\n`);
    console.log(`| ${HEADINGS.join(' | ')} |\n|${'---|'.repeat(HEADINGS.length)}`);
    for (const cells of await table(scenario, catalog)) console.log(`| ${cells.join(' | ')} |`);
  }
}
