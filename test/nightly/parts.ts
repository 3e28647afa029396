/** A part of the tests that no change waits for, or a measurement. */
export type Part = {
  about: string;
  /** Arguments of node. */
  command: readonly string[];
  /** What may follow its name. */
  options?: string;
  /** Its options at night; a part without them runs only by its name. */
  night?: readonly string[];
  /** Whether it takes `--seed N`. */
  seeded?: true;
};

const VITEST = ['node_modules/vitest/vitest.mjs', 'run'];
const FILTER = '[FILE ...] [-t TITLE]';

export const PARTS: Readonly<Record<string, Part>> = {
  slow: {
    about: 'Tests too slow for the gate: files named *.nightly.test.ts, of test and research',
    command: [...VITEST, '--project', 'nightly'],
    options: FILTER,
    night: [],
  },
  properties: {
    about: 'The unit tests, whose property tests draw other values than at the gate',
    command: [...VITEST, '--project', 'unit'],
    options: FILTER,
    night: [],
  },
  faults: {
    about: 'Lives of the whole service in virtual time, with seeded faults',
    command: ['test/faults/main.ts'],
    options: '--seed N --runs M --minutes L --promise NAME --until-broken --fingerprints',
    night: ['--runs', '500', '--minutes', '12'],
    seeded: true,
  },
  planted: {
    about: 'Mistakes planted in a copy of the service, and the seed that finds each',
    command: ['test/faults/planted.ts'],
    options: '--runs M --only TEXT',
    night: [],
  },
  crash: {
    about: 'kill -9 under load',
    command: ['test/crash/main.ts'],
    options: '--rounds M --seed N',
    night: ['--rounds', '20'],
    seeded: true,
  },
  abuse: {
    about: 'Attacks of one tenant, and what another notices of each',
    command: ['test/abuse/main.ts'],
    options: '--seconds S --only NAME,... --code FOLDER',
    night: ['--seconds', '10'],
  },
  'api-fuzz': {
    about: 'Thousands of calls that schemathesis makes up from the API description; needs Python 3',
    command: ['test/api-fuzz/main.ts'],
    options: '--seed N',
    night: [],
    seeded: true,
  },
  calendar: {
    about: 'When 40,000 random schedules are due, compared with the calendars of Healthchecks; needs Python 3',
    command: ['test/calendar/main.ts'],
    options: '--cases M --seed N',
    night: [],
    seeded: true,
  },
  outage: {
    about: 'Ten minutes without a database, three times, and what each team is notified of; needs Python 3',
    command: ['test/outage/main.ts'],
    options: '--minutes L',
    night: [],
  },
  long: {
    about: '10,000 checks at 60 s for five minutes, then an outage of ten',
    command: ['test/long/main.ts'],
    options: '--checks M --minutes L --interval S --away L',
    night: [],
  },
  years: {
    about: 'A year of one check, and a week of 1,000, on disk',
    command: ['test/years/main.ts'],
    options: '--only year|week --days N',
    night: [],
  },
  'mcp-clients': {
    about: 'Every real MCP client of the last two years; needs Python 3',
    command: [...VITEST, '--project', 'mcp-clients'],
    options: FILTER,
    night: [],
  },
  console: {
    about: 'The pages in a real browser; needs Chromium',
    command: [...VITEST, '--config', 'test/console/vitest.config.ts'],
    options: FILTER,
    night: [],
  },
  deploy: {
    about: 'cdk deploy onto an emulated AWS, and a file of each kind run there; needs Python 3',
    command: ['test/deploy/main.ts'],
  },
  'deploy-whole': {
    about: 'The same, with all of the contract suite that can be run there',
    command: ['test/deploy/main.ts', '--whole'],
    night: [],
  },
  'deploy-console': {
    about: 'The same, with the tests of the console instead',
    command: ['test/deploy/main.ts', '--console'],
    night: [],
  },
  graphs: {
    about: 'Incidents of random fleets, under several ways to alert, including those of the service',
    command: ['research/graphs/main.ts'],
    options: '--seed N --runs M --only SCENARIO --model',
  },
  cost: {
    about: 'What a run costs on AWS, counted request by request, and its targets',
    command: ['research/cost/main.ts'],
    options: '--only NAME,... --minutes L',
    night: [],
  },
  'bench-console': {
    about: 'Size and speed of the console, and their targets; needs Chromium',
    command: ['test/bench/console/main.ts'],
    options: '--only NAME,... --entities M',
  },
  screenshots: {
    about: 'Makes the pictures in docs/screenshots from the demo; needs Chromium',
    command: ['test/screenshots/main.ts'],
    options: '--all FOLDER',
  },
};
