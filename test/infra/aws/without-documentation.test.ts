import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '#infra/aws/bundle/bundle.ts';
import { withoutDocumentation } from '#infra/aws/bundle/without-documentation.ts';

const trimmed = (code: string): string => withoutDocumentation(code).code;

describe('deployed code', () => {
  it.each([
    ['a.string().describe("Meaning.").optional()', 'a.string().optional()'],
    ['a.describe("say \\"x\\" (or not)")', 'a'],
    ["a.describe('it\\'s').b", 'a.b'],
    ['a.describe(`one ) two`),b', 'a,b'],
  ])('removes the description of %s', (code, left) => {
    expect(trimmed(code)).toBe(left);
  });

  it.each(['a.describe(text)', `a.describe(\`\${b}\`)`, 'describe("a",b)', 'a.description("b")'])(
    'keeps %s',
    (code) => {
      expect(trimmed(code)).toBe(code);
    },
  );

  it('removes the examples of types, regardless of their content', () => {
    const one = 'a({type:"x",examples:{valid:[{b:"]}"},{c:[1,{}]}],invalid:[{d:Array(11).fill({e:`)`})}]}});';
    expect(trimmed(`${one}f();${one}g()`)).toBe('a({type:"x",examples:{}});f();a({type:"x",examples:{}});g()');
    expect(trimmed('a({examples:{other:[1]}})')).toBe('a({examples:{other:[1]}})');
  });

  it('keeps only the version of SDK manifests', () => {
    const code = 'var a={name:"@aws-sdk/client-x",scripts:{"b:c":"d } e"},version:"3.1.0",files:["f"]},g={name:"h"};';
    expect(trimmed(code)).toBe('var a={version:"3.1.0"},g={name:"h"};');
  });

  it('contains no descriptions: agents read them in the manifest of their skill', () => {
    const { dir } = bundle('mcp');
    const code = readdirSync(dir).map((file) => readFileSync(join(dir, file), 'utf8'));
    expect(code.some((text) => text.includes('Id of the entity, as in list_entities'))).toBe(false);
  });
});
