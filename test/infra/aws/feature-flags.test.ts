import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

const recommended: Record<string, unknown> = createRequire(import.meta.url)(
  'aws-cdk-lib/recommended-feature-flags.json',
);

it('cdk.json answers every feature flag that the CDK recommends, as one left open changes resources when it is set later', () => {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const flags = Object.fromEntries(Object.keys(recommended).map((name) => [name, context[name]]));
  expect(flags).toEqual(recommended);
});
