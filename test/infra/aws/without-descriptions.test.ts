import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '#infra/aws/bundle/bundle.ts';
import { withoutDescriptions } from '#infra/aws/bundle/without-descriptions.ts';

describe('code that is deployed', () => {
  it.each([
    ['a.string().describe("What it is.").optional()', 'a.string().optional()'],
    ['a.describe("say \\"x\\" (or not)")', 'a'],
    ["a.describe('it\\'s').b", 'a.b'],
    ['a.describe(`one ) two`),b', 'a,b'],
  ])('loses the description of %s', (code, left) => {
    expect(withoutDescriptions(code)).toBe(left);
  });

  it.each(['a.describe(text)', `a.describe(\`\${b}\`)`, 'describe("a",b)', 'a.description("b")'])(
    'keeps %s',
    (code) => {
      expect(withoutDescriptions(code)).toBe(code);
    },
  );

  it('tells agents what the arguments of tools mean, and nobody else', () => {
    const codeOf = (name: 'mcp' | 'api') => {
      const { dir } = bundle(name);
      return readdirSync(dir).map((file) => readFileSync(join(dir, file), 'utf8'));
    };
    const text = 'Id of the entity, as in list_entities';
    expect(codeOf('mcp').join('')).toContain(text);
    expect(codeOf('api').join('')).not.toContain(text);
  });
});
