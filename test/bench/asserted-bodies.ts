const MB = 1024 * 1024;

/** Returns a text of two letters in an order that does not repeat, so that an automaton does not help. */
function shuffled(one: string, other: string, count: number): string {
  let state = 12_345;
  const letters = Array.from({ length: count }, () => {
    // Marsaglia's xorshift of 32 bits.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 1 ? one : other;
  });
  return letters.join('');
}

const upTo = (part: string, end: string): string => part.repeat(Math.floor((MB - end.length) / part.length)) + end;
let key = 0;

/** Bodies of the target, by path. */
export const bodies: Record<string, () => string> = {
  usual: () =>
    JSON.stringify({
      status: 'ok',
      db: { status: 'ok', lag_ms: 12, version: '16.2' },
      items: Array.from({ length: 20 }, (_, id) => ({
        id,
        name: `item number ${id}`,
        price: id * 1.5,
        tags: ['a', 'b'],
      })),
      note: 'x'.repeat(600),
    }),
  one_letter: () => 'a'.repeat(MB),
  two_letters: () => shuffled('a', 'b', MB),
  two_greek_letters: () => shuffled('α', 'β', MB / 2),
  one_text: () => `{"a":"${'a'.repeat(MB - 9)}"}`,
  one_text_of_pairs: () => `{"a":"${'😀'.repeat(MB / 4 - 3)}"}`,
  numbers: () => `[${upTo('1,', '1]')}`.slice(0, MB),
  objects: () => `[${upTo('{},', '{}]').slice(0, MB - 5)}`,
  levels: () => '['.repeat(MB / 2) + ']'.repeat(MB / 2),
  escapes: () => `{"a":"${'\\u00e9'.repeat((MB - 9) / 6)}"}`,
  names: () => {
    const parts: string[] = [];
    for (let size = 2; ; ) {
      const part = `"${(key++).toString(36)}":1`;
      size += part.length + 1;
      if (size > MB) return `{${parts.join()}}`;
      parts.push(part);
    }
  },
  different_objects: () => {
    const parts: string[] = [];
    for (let size = 2; ; ) {
      const part = `{"${(key++).toString(36)}":1}`;
      size += part.length + 1;
      if (size > MB) return `[${parts.join()}]`;
      parts.push(part);
    }
  },
};

const twenty = (assertion: object): object[] => Array.from({ length: 20 }, () => assertion);
/** Returns an assertion on JSON. */
export const json = (property: string, operator: string, value?: unknown) => ({
  source: 'json',
  property,
  operator,
  value,
});
const WORST_TEXTS = [`b${'a'.repeat(4_000)}`, `${'a'.repeat(4_000)}b`];

/** Lists of assertions, each with the bodies that it is applied to. */
export const worst: Record<string, { on: string[]; assertions: object[] }> = {
  paths: { on: Object.keys(bodies), assertions: twenty(json('$', 'not_equals', 1)) },
  lengths: {
    on: ['one_text', 'one_text_of_pairs', 'escapes', 'names'],
    assertions: twenty(json('$.a.length', 'at_least', 1)),
  },
  ...Object.fromEntries(
    WORST_TEXTS.flatMap((value, i) => [
      [`body_contains_${i}`, { on: ['one_letter'], assertions: [{ source: 'body', operator: 'not_contains', value }] }],
      [`json_contains_${i}`, { on: ['one_text'], assertions: [json('$.a', 'not_contains', value)] }],
    ]),
  ),
  short_texts: { on: ['one_letter'], assertions: twenty({ source: 'body', operator: 'not_contains', value: 'aab' }) },
  expressions: {
    on: ['two_letters', 'two_greek_letters'],
    assertions: [
      '(?i)[aceg][^x]{70}\\d',
      '(?i)[aä]\\PN{74}$',
      'a[ab]{74}\\d',
      '(?i)α\\pL{74}$',
      '(?i)[αaä][^\\pN\\pP]{74}$',
      '([ab]*a){8}[ab]{20}$',
      '(?i)(a?){12}(a|b|aa){4}\\d',
      '(.*a){5}\\d|(x+x+)+y|[a-z]{20}\\d',
    ].map((value) => ({ source: 'body', operator: 'not_matches', value })),
  },
};
