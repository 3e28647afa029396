/** A part of the tests that CI does not run for each change, or a measurement. */
export type Part = {
  about: string;
  /** Arguments of node. */
  command: readonly string[];
  /** Options that can follow its name. */
  options?: string;
  /** Options of the nightly run, possibly none; if undefined, the part runs only by name. */
  night?: readonly string[];
  /** Whether it accepts `--seed N`. */
  seeded?: true;
};

const VITEST = ['node_modules/vitest/vitest.mjs', 'run'];
const FILTER = '[FILE ...] [-t TITLE]';

export const PARTS: Readonly<Record<string, Part>> = {
  slow: {
    about: 'Tests too slow for CI: *.nightly.test.ts in test and research, and all worst-case request bodies',
    command: [...VITEST, '--project', 'nightly'],
    options: FILTER,
    night: [],
  },
  properties: {
    about: 'The unit tests, whose property tests draw other values than in CI',
    command: [...VITEST, '--project', 'unit'],
    options: FILTER,
    night: [],
  },
  faults: {
    about: 'Simulations of the whole service in virtual time, with seeded faults',
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
    about: 'Attacks by one tenant, and their effect on another',
    command: ['test/abuse/main.ts'],
    options: '--seconds S --only NAME,... --code FOLDER',
    night: ['--seconds', '10'],
  },
  'api-fuzz': {
    about: 'Thousands of calls that schemathesis generates from the API description; needs Python 3',
    command: ['test/api-fuzz/main.ts'],
    options: '--seed N',
    night: [],
    seeded: true,
  },
  calendar: {
    about: 'Due times of 40,000 random schedules, compared with the calendars of Healthchecks; needs Python 3',
    command: ['test/calendar/main.ts'],
    options: '--cases M --seed N',
    night: [],
    seeded: true,
  },
  prometheus: {
    about: 'A real Prometheus that scrapes the metrics; needs the Debian package prometheus',
    command: ['test/prometheus/main.ts'],
    night: [],
  },
  outage: {
    about: 'Outage of a database for ten minutes, in three setups, and the alerts of each team; needs Python 3',
    command: ['test/outage/main.ts'],
    options: '--minutes L',
    night: [],
  },
  long: {
    about: '10,000 checks at 60 s for five minutes, then an outage of ten minutes',
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
    about: 'TypeScript and Python MCP clients of the last two years, and mcp-remote; needs Python 3',
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
    about: 'cdk deploy onto an emulated AWS, and one contract test file of each kind there; needs Python 3',
    command: ['test/deploy/main.ts'],
  },
  'deploy-path': {
    about: 'Each operator command of docs/operate/aws-deploy.md in order, on an emulated AWS',
    command: ['test/deploy/first-hour.ts'],
    night: [],
  },
  'deploy-whole': {
    about: 'cdk deploy onto an emulated AWS, and all contract tests that can run there',
    command: ['test/deploy/main.ts', '--whole'],
    night: [],
  },
  'deploy-console': {
    about: 'cdk deploy onto an emulated AWS, and the tests of the console',
    command: ['test/deploy/main.ts', '--console'],
    night: [],
  },
  graphs: {
    about: 'Incidents of random fleets under several alerting strategies, including that of the service',
    command: ['research/graphs/main.ts'],
    options: '--seed N --runs M --only SCENARIO --model',
  },
  cost: {
    about: 'Prices of the service on AWS, counted per request, and their limits',
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
    about: 'Creates the screenshots in docs/screenshots from the demo; needs Chromium',
    command: ['test/screenshots/main.ts'],
    options: '--all FOLDER',
  },
};
