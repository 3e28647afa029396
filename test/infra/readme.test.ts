import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealService, startRealService } from '#test/support/real-service.ts';

const root = new URL('../../', import.meta.url).pathname;
const readme = readFileSync(`${root}README.md`, 'utf8');
const blocks = [...readme.matchAll(/```(sh|json)\n(.*?)```/gs)].map(([, language, text]) => ({
  language,
  text: text!,
}));

/**
 * What is run as it stands: curl on the service, and the operator's CLI. `npm ci` and `npm start` are this test's own
 * start.
 */
const snippets = blocks.filter(({ language, text }) => language === 'sh' && /\bcurl\b|run --silent admin/.test(text));

/** Times and ids differ from run to run. */
const still = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'));

describe('the README', () => {
  let service: RealService;
  beforeAll(async () => {
    service = await startRealService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('has snippets that work, one after the other, and shows the real answer of the first', async () => {
    const script = snippets
      .map(({ text }, i) => `echo '--- ${i}'\n${text}`)
      .join('\n')
      .replaceAll('http://127.0.0.1:8787', service.url)
      .replaceAll('.data/', `${service.dir}/`);
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: root,
      env: { ...process.env, DATA_DIR: service.dir },
    });
    const answers = stdout.split(/--- \d+\n/).slice(1);
    expect(answers).toHaveLength(snippets.length);
    // Every refusal of the API has a code.
    expect(stdout).not.toContain('"code":"');

    const shown = blocks.find(({ language }) => language === 'json')!;
    expect(still(JSON.parse(answers[0]!))).toEqual(still(JSON.parse(shown.text)));
  });

  it('maps the house as it is', () => {
    const house = readme.slice(readme.indexOf('## The house'), readme.indexOf('How to add a check type'));
    for (const [, room] of house.matchAll(/\d ([a-z]+)\//g)) {
      expect(() => readFileSync(`${root}lib/${room}`), room).toThrow(/EISDIR/);
    }
  });
});
