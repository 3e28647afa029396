import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startRealService } from '#test/support/real-service.ts';
import { blocksOf, runCommands } from './run-page.ts';

const root = new URL('../../', import.meta.url).pathname;
const readme = readFileSync(`${root}README.md`, 'utf8');
const blocks = blocksOf(readme);

/** Snippets that are run as they stand; `npm start` is this test's own start, the rest needs a release or AWS. */
const snippets = blocks.filter(
  ({ language, text }) => language === 'sh' && !/^npm (?:ci|start|test|run (?!--silent))/m.test(text),
);

/** Times and ids differ from run to run. */
const still = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'));

describe('the README', () => {
  it('leads to real alerts: its snippets work one after the other, and what it shows is what they print', async () => {
    await using service = await startRealService();
    expect(snippets.length).toBeGreaterThan(7);
    const written = await runCommands(
      snippets.map(({ text }) => text),
      service,
      root,
    );

    const shown = blocks.find(({ language }) => language === 'json')!;
    expect(still(JSON.parse(written[0]!))).toEqual(still(JSON.parse(shown.text)));
    const lines = blocks.filter(({ language }) => language === 'text');
    expect(lines).toHaveLength(2);
    for (const { text } of lines) expect(written.join('')).toContain(text);
  });

  it('maps the house as it is', () => {
    const house = readme.slice(readme.indexOf('## The house'), readme.indexOf('How to add a check type'));
    for (const [, room] of house.matchAll(/\d ([a-z]+)\//g)) {
      expect(() => readFileSync(`${root}lib/${room}`), room).toThrow(/EISDIR/);
    }
  });
});
