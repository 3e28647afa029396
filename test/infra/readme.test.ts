import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startRealService } from '#test/support/real-service.ts';
import { blocksOf, runCommands } from './run-page.ts';

const root = new URL('../../', import.meta.url).pathname;
const readme = readFileSync(`${root}README.md`, 'utf8');
const blocks = blocksOf(readme);

/** All commands except `npm start` and `npm test`: this test starts the service itself and is part of `npm test`. */
const snippets = blocks.filter(({ language, text }) => language === 'sh' && !/^npm (?:start|test)$/m.test(text));

describe('the README', () => {
  it('has at most 8 KB', () => expect(readme.length).toBeLessThanOrEqual(8192));

  it('shows two commands before the first alert', () => {
    const [first] = readme.split('## First alert');
    expect(blocksOf(first!).map(({ text }) => text.trim())).toEqual(['npm start', 'npm test']);
  });

  it('leads to a real alert: its commands work and print the alert that it shows', async () => {
    await using service = await startRealService();
    expect(snippets).toHaveLength(2);
    const written = await runCommands(
      snippets.map(({ text }) => text),
      service,
      root,
    );
    const [alert, ...others] = blocks.filter(({ language }) => language === 'text');
    expect(others).toEqual([]);
    expect(written.join('')).toContain(alert!.text);
  });
});
