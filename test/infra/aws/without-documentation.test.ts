import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '#infra/aws/bundle/bundle.ts';
import { withoutDescriptions, withoutExamples, withoutManifests } from '#infra/aws/bundle/without-documentation.ts';

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

  it('loses the examples of types, whatever is in them', () => {
    const one = 'a({type:"x",examples:{valid:[{b:"]}"},{c:[1,{}]}],invalid:[{d:Array(11).fill({e:`)`})}]}});';
    expect(withoutExamples(`${one}f();${one}g()`)).toBe('a({type:"x",examples:{}});f();a({type:"x",examples:{}});g()');
    expect(withoutExamples('a({examples:{other:[1]}})')).toBe('a({examples:{other:[1]}})');
  });

  it('keeps of the manifests of the SDK their versions', () => {
    const code = 'var a={name:"@aws-sdk/client-x",scripts:{"b:c":"d } e"},version:"3.1.0",files:["f"]},g={name:"h"};';
    expect(withoutManifests(code)).toBe('var a={version:"3.1.0"},g={name:"h"};');
  });

  it('tells nobody what a schema means: agents read it in the manifest of their skill', () => {
    const { dir } = bundle('mcp');
    const code = readdirSync(dir).map((file) => readFileSync(join(dir, file), 'utf8'));
    expect(code.some((text) => text.includes('Id of the entity, as in list_entities'))).toBe(false);
  });
});
