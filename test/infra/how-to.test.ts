import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHostSettings } from '#infra/local/settings.ts';
import { clientOf } from '#test/support/client.ts';
import { startRealService } from '#test/support/real-service.ts';
import { refused } from '#test/support/refused-check.ts';
import { type Block, blocksOf, runCommands } from './run-page.ts';

const root = new URL('../../', import.meta.url).pathname;
const pages = globSync('docs/how-to/*.md', { cwd: root }).toSorted();
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const of = (language: string, blocks: Block[]) => blocks.filter((block) => block.language === language);

/** Lines of `npm start` as a page shows them: at the port 8787, and with an ellipsis where each start differs. */
const printed = (text: string, url: string): RegExp =>
  new RegExp(
    text
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(':8787', `:${new URL(url).port}`)
      .replaceAll('…', '\\w+'),
  );

it('there is a page for each thing that a newcomer wants to do', () => {
  expect(pages.map((page) => page.slice('docs/how-to/'.length, -'.md'.length))).toEqual([
    'actions',
    'alert-rules',
    'channels',
    'checks-as-code',
    'cron-jobs',
    'from-gatus',
    'from-healthchecks',
    'from-uptime-kuma',
    'other-protocols',
    'run-it-for-real',
  ]);
});

describe.each([...pages, 'docs/ACCESS.md'])('%s', (page) => {
  it('has commands that work, one after the other, and shows lines that they really print', async () => {
    // Nobody is asked for the registries of the world.
    await using service = await startRealService({ RDAP_BOOTSTRAP_URL: 'http://127.77.0.1:9/dns.json' });
    const blocks = blocksOf(read(page));
    const written = (
      await runCommands(
        of('sh', blocks).map(({ text }) => text),
        service,
      )
    ).join('');
    for (const { text } of of('text', blocks)) expect(written).toContain(text);
    for (const { text } of of('text start', blocks)) expect(service.out()).toMatch(printed(text, service.url));
  });
});

it.each([...pages, 'README.md', 'docs/ACCESS.md', 'docs/REFERENCE.md', 'lib/ENDPOINTS.md'])(
  '%s leads to pages and headings that are there',
  (page) => {
    const headings = (file: string) =>
      [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      );
    for (const [, target = '', anchor] of read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      const file = target === '' ? page : join(dirname(page), target);
      expect(existsSync(join(root, file)), `${page}: ${target}`).toBe(true);
      if (anchor !== undefined) expect(headings(file), `${page}: ${target}#${anchor}`).toContain(anchor);
    }
  },
);

describe('coming from Gatus', () => {
  const conditions = [...read('docs/how-to/from-gatus.md').matchAll(/^\| `([^`]*)`.*?`(\{"source".*?\})`/gm)];

  it('has many conditions', () => expect(conditions.length).toBeGreaterThan(20));

  it.each(conditions.map(([, theirs, ours]) => [theirs!, ours!]))('%s is %s, which a check takes', (_theirs, ours) => {
    const assertions = [JSON.parse(ours)];
    const dns = { entity_id: 'ent_1', check_type: 'dns' };
    const isOfDns = ['rcode', 'any_record'].includes(assertions[0].source);
    const asked = { hostname: 'example.com', record_type: 'A' };
    expect(isOfDns ? refused({ config: { ...asked, assertions } }, dns) : refused({ config: { assertions } })).toEqual(
      [],
    );
  });
});

describe('running it for real', () => {
  const page = read('docs/how-to/run-it-for-real.md');
  const blocks = blocksOf(page);

  it('keeps what was there through backup and restore', async () => {
    await using service = await startRealService();
    const made = await service.client.post('/v1/blueprints', { slug: 'kept', name: 'Kept' });
    expect(made.status).toBe(201);
    await service.stop();
    const folder = mkdtempSync(join(tmpdir(), 'fleetwatch-backup-'));
    try {
      await runCommands(
        of('sh stopped', blocks).map(({ text }) => text),
        service,
        folder,
      );
      await using restored = await startRealService({ DATA_DIR: join(folder, 'restored') });
      const client = clientOf(restored.url, readFileSync(join(folder, 'restored/admin-key'), 'utf8').trim());
      expect((await client.get('/v1/blueprints/kept')).body).toEqual(made.body);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('has a unit whose settings are settings, and whose command is there', () => {
    const [unit] = of('ini', blocks);
    const set = [...unit!.text.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]);
    expect(readHostSettings(Object.fromEntries(set)).host).toMatchObject({
      DATA_DIR: '/var/lib/fleetwatch',
      PORT: 8787,
    });
    const [, node = '', main = ''] = /^ExecStart=\/opt\/fleetwatch\/(\S+) (?:.* )?(\S+)$/m.exec(unit!.text)!;
    expect(existsSync(join(root, node))).toBe(true);
    expect(existsSync(join(root, main))).toBe(true);
  });
});
