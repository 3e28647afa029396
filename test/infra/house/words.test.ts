import { describe, expect, it } from 'vitest';
import { findWords, wordFaults } from './words.ts';

const found = (file: string, text: string) => findWords(new Map([[file, text]])).map(({ pattern }) => pattern.id);

describe('findWords', () => {
  it('finds wordings to avoid in comments, strings and Markdown', () => {
    expect(found('lib/a.ts', `/** ${'What'} it is. */\nconst text = 'no${'body'} is here';\n`)).toEqual([
      'W02',
      'W28',
      'B03',
    ]);
    expect(found('README.md', `Retry ${'anew'}.`)).toEqual(['W34']);
  });

  it('finds test titles without a verb, but only in code files', () => {
    expect(found('test/a.test.ts', `it${"('a"} check')`)).toEqual(['I04']);
    expect(found('README.md', `it${"('a"} check')`)).toEqual([]);
  });

  it('ignores code in Markdown and comments', () => {
    expect(found('README.md', `\`${'anew'}\`\n\n\`\`\`\n${'anew'}\n\`\`\`\n`)).toEqual([]);
    expect(found('lib/a.ts', `// \`${'anew'}\`\n`)).toEqual([]);
  });
});

describe('wordFaults', () => {
  it('allows a limited number of uses of some patterns, and none of others', () => {
    const uses = (count: number) =>
      new Map([['README.md', `In the ${'mean'}while. `.replace('In the ', '').repeat(count)]]);
    expect(wordFaults(uses(20))).toEqual([]);
    expect(wordFaults(uses(21))).toEqual([expect.stringContaining('B02 is used 21 times')]);
    expect(wordFaults(new Map([['README.md', `${'anew'}`]]))).toEqual([expect.stringContaining('W34')]);
  });
});
