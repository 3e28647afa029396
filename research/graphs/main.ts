import { parseArgs } from 'node:util';
import { type Measured, ownTable, pagesTable, shapesTable, type Table } from './measure.ts';
import { icinga } from './policies/icinga.ts';
import { service } from './policies/service.ts';
import { serviceModel } from './policies/service-model.ts';
import { groupWait, parentDown } from './policies/simple.ts';
import { SCENARIOS } from './scenes.ts';
import { type SimulatedIncident, simulateIncident } from './simulate-incident.ts';
import { SHAPES } from './world.ts';

// Simulates random incidents in random fleets, under several alert policies including that of the service:
// `npm run test:nightly -- graphs --seed 1 --runs 100 --only root`.

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    // Number of incidents per shape of fleet.
    runs: { type: 'string', default: '20' },
    only: { type: 'string' },
    // Omits the real service, which takes a second per incident.
    model: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const runs = Number(values.runs);
const POLICIES = [
  ...[parentDown, icinga, groupWait(30_000), groupWait(60_000), serviceModel],
  ...(values.model ? [] : [service]),
];

const writeLine = (line: string) => process.stdout.write(`${line}\n`);

function print({ headings, rows }: Table): void {
  for (const cells of [headings, headings.map(() => '---'), ...rows]) writeLine(`| ${cells.join(' | ')} |`);
  writeLine('');
}

/** Groups outcomes by policy. */
const outcomesByPolicy = (simulated: readonly SimulatedIncident[]): Measured =>
  new Map(
    [...simulated[0]!.outcomes.keys()].map((name) => [name, simulated.map(({ outcomes }) => outcomes.get(name)!)]),
  );

for (const catalog of ['complete', 'incomplete'] as const) {
  for (const scenario of SCENARIOS) {
    if (values.only !== undefined && values.only !== scenario) continue;
    const simulated: SimulatedIncident[] = [];
    const before = process.cpuUsage();
    for (let n = 0; n < runs * SHAPES.length; n++) {
      simulated.push(await simulateIncident(POLICIES, seed * 100_000 + n, scenario, catalog));
    }
    const { user, system } = process.cpuUsage(before);
    const cpu_s = Math.round((user + system) / 1e6);
    writeLine(`${scenario}, ${catalog} catalog, ${simulated.length} incidents, ${cpu_s} s of CPU\n`);
    print(pagesTable(outcomesByPolicy(simulated)));
    print(
      shapesTable(
        new Map([...Map.groupBy(simulated, ({ shape }) => shape)].map(([one, own]) => [one, outcomesByPolicy(own)])),
      ),
    );
    if (scenario === 'own failures') print(ownTable(outcomesByPolicy(simulated)));
  }
}
