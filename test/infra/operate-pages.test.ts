import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DeploySettings } from '#infra/aws/settings.ts';
import { readHostSettings } from '#infra/local/settings.ts';
import { queues } from '#infra/topology.ts';
import { startRealService } from '#test/support/real-service.ts';
import { type Block, blocksOf, runCommands } from './run-page.ts';

const root = new URL('../../', import.meta.url).pathname;
const pages = globSync('docs/{operate,api}/*.md', { cwd: root }).toSorted();
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const of = (language: string, blocks: Block[]) => blocks.filter((block) => block.language === language);

/** Returns a pattern for output of `npm start` that a page shows with port 8787, and with … for parts that vary. */
const printed = (text: string, url: string): RegExp =>
  new RegExp(
    text
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(':8787', `:${new URL(url).port}`)
      .replaceAll('…', '\\w+'),
  );

const withCommands = pages.filter((page) => of('sh', blocksOf(read(page))).length > 0);

describe.each(withCommands)('%s', (page) => {
  it('has working commands and shows the output of a start', async () => {
    await using service = await startRealService();
    const blocks = blocksOf(read(page));
    await runCommands(
      of('sh', blocks).map(({ text }) => text),
      service,
      root,
    );
    for (const { text } of of('text start', blocks)) expect(service.out()).toMatch(printed(text, service.url));
  });
});

it('finds the pages with commands', () => {
  expect(withCommands).toEqual(['docs/api/README.md', 'docs/operate/backup-and-upgrade.md', 'docs/operate/install.md']);
});

it.each([...pages, 'README.md', 'CONTRIBUTING.md'])('%s links to files that exist', (page) => {
  for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:|#)([^)#\s]*)/g)) {
    expect(existsSync(join(root, dirname(page), target)), `${page}: ${target}`).toBe(true);
  }
});

describe('packaging/fleetwatch.service', () => {
  it('has valid settings and an existing command', () => {
    const unit = read('packaging/fleetwatch.service');
    const set = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]);
    expect(readHostSettings(Object.fromEntries(set)).host).toMatchObject({
      DATA_DIR: '/var/lib/fleetwatch',
      PORT: 8787,
    });
    const [, node = '', main = ''] = /^ExecStart=\/opt\/fleetwatch\/(\S+) (?:.* )?(\S+)$/m.exec(unit)!;
    expect(existsSync(join(root, node))).toBe(true);
    expect(existsSync(join(root, main))).toBe(true);
  });
});

describe('packaging/Dockerfile', () => {
  const lines = read('packaging/Dockerfile').split('\n');

  it('has valid settings and copies files that exist', () => {
    const [, settings = ''] = /^ENV (.*)$/m.exec(lines.join('\n'))!;
    const env = Object.fromEntries(settings.split(' ').map((pair) => pair.split('=')));
    expect(readHostSettings(env).host).toMatchObject({ HOST: '0.0.0.0', PORT: 8787, DATA_DIR: '/data' });
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied).toContain('package-lock.json');
    for (const path of copied) expect(existsSync(join(root, path)), path).toBe(true);
  });

  it('has a build context of exactly the files that it copies', () => {
    const kept = read('packaging/Dockerfile.dockerignore').matchAll(/^!(.*)$/gm);
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(new Set([...kept].map(([, path]) => path))).toEqual(new Set(copied));
  });
});

describe('docs/operate/aws-monitor.md', () => {
  const page = read('docs/operate/aws-monitor.md');
  const deadLetters = page.slice(page.indexOf('## Dead letters'), page.indexOf('## Stop the service'));
  const rows = [...deadLetters.matchAll(/^\| (`.*?) \|/gm)].flatMap(
    ([, first = '']) => first.match(/[a-z-]+(?=…?`)/g) ?? [],
  );

  it('says how to handle the dead letters of every queue', () => {
    expect(rows.toSorted()).toEqual([...Object.keys(queues), 'schedule-', 'stream-'].toSorted());
  });
});

describe('.github/workflows/aws.yaml', () => {
  const workflow = read('.github/workflows/aws.yaml');

  it('runs npm scripts and settings that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...workflow.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name!);
    expect(named.toSorted()).toEqual(['admin', 'aws:checklist', 'deploy', 'deploy']);
    for (const name of named) expect(Object.keys(scripts)).toContain(name);
    const [, settings = ''] = /jq -n '\{(.*)\}'/.exec(workflow)!;
    for (const [, name] of settings.matchAll(/([A-Z_]+):/g)) expect(Object.keys(DeploySettings.shape)).toContain(name);
  });
});
