import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

const recommended: Record<string, unknown> = createRequire(import.meta.url)(
  'aws-cdk-lib/recommended-feature-flags.json',
);

it('sets every recommended feature flag of the CDK in cdk.json, because setting one later changes resources', () => {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const flags = Object.fromEntries(Object.keys(recommended).map((name) => [name, context[name]]));
  expect(flags).toEqual(recommended);
});
