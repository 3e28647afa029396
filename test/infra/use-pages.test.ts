import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { webhook } from '#lib/channels/types/webhook.ts';
import { startRealService } from '#test/support/real-service.ts';
import { refused } from '#test/support/refused-check.ts';
import { examples } from '#test/unit/channels/example-alerts.ts';
import { type Block, blocksOf, runCommands } from './run-page.ts';

const root = new URL('../../', import.meta.url).pathname;
const pages = globSync('docs/use/*.md', { cwd: root }).toSorted();
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const of = (language: string, blocks: Block[]) => blocks.filter((block) => block.language === language);

/** Pages without commands, and the one whose commands test/mcp-clients/docs.test.ts runs. */
const NOT_RUN = ['agents', 'channel-types', 'comparison', 'console', 'sign-in', 'webhooks'].map(
  (name) => `docs/use/${name}.md`,
);

describe.each(pages.filter((page) => !NOT_RUN.includes(page)))('%s', (page) => {
  it('has commands that work in order and shows their output', async () => {
    // No domain registry is queried.
    await using service = await startRealService({ RDAP_BOOTSTRAP_URL: 'http://127.77.0.1:9/dns.json' });
    const blocks = blocksOf(read(page));
    const commands = of('sh', blocks).map(({ text }) => text);
    expect(commands.length).toBeGreaterThan(0);
    const written = (await runCommands(commands, service)).join('');
    for (const { text } of of('text', blocks)) expect(written).toContain(text);
  });
});

it.each([...pages, 'docs/develop/guarantees.md'])('%s links to files that exist', (page) => {
  for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:|#)([^)#\s]*)/g)) {
    expect(existsSync(join(root, dirname(page), target)), `${page}: ${target}`).toBe(true);
  }
});

describe('docs/use/from-gatus.md', () => {
  const conditions = [...read('docs/use/from-gatus.md').matchAll(/^\| `([^`]*)`.*?`(\{"source".*?\})`/gm)];

  it('maps most conditions of Gatus', () => expect(conditions.length).toBeGreaterThan(20));

  it.each(conditions.map(([, condition, assertion]) => [condition!, assertion!]))(
    'maps %s to %s, a valid assertion',
    (_condition, assertion) => {
      const assertions = [JSON.parse(assertion)];
      const dns = { entity_id: 'ent_1', check_type: 'dns' };
      const isOfDns = ['rcode', 'any_record'].includes(assertions[0].source);
      const query = { hostname: 'example.com', record_type: 'A' };
      expect(
        isOfDns ? refused({ config: { ...query, assertions } }, dns) : refused({ config: { assertions } }),
      ).toEqual([]);
    },
  );
});

it('docs/use/webhooks.md shows code that verifies a signature', async () => {
  const [code] = of('js', blocksOf(read('docs/use/webhooks.md')));
  const { isSigned } = await import(`data:text/javascript,${encodeURIComponent(code!.text)}`);
  const alert = examples.state_change;
  const send = webhook.render(alert, { url: 'https://hooks.example.com/', secret: 'letmesign' });
  if (send.via !== 'http') throw new Error('A webhook is sent over HTTP.');
  const headers = Object.fromEntries(Object.entries(send.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const now = alert.sent_at;
  const body = Buffer.from(send.body);
  expect(isSigned(body, headers, 'letmesign', now)).toBe(true);
  expect(isSigned(body, headers, 'another', now)).toBe(false);
  expect(isSigned(Buffer.from(`${send.body} `), headers, 'letmesign', now)).toBe(false);
  expect(isSigned(body, {}, 'letmesign', now)).toBe(false);
  expect(isSigned(body, headers, 'letmesign', now + 301_000)).toBe(false);
  const moved = { ...headers, 'x-service-timestamp': String(Number(headers['x-service-timestamp']) + 300) };
  expect(isSigned(body, moved, 'letmesign', now + 301_000)).toBe(false);
});
