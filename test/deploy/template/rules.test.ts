import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterAll, expect, it } from 'vitest';
import { pythonTools } from '#test/deploy/emulator.ts';
import { run } from '#test/deploy/run.ts';
import { isNightly } from '#test/support/nightly.ts';
import { synthesize } from './synthesized.ts';

const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-rules-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Settings that add the distribution for domains of status pages. */
const STATUS = {
  STATUS_DOMAINS: 'status.acme.com',
  STATUS_CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:111122223333:certificate/b',
};

it.each([
  ['AwsSolutions', () => new AwsSolutionsChecks()],
  ['Serverless', () => new ServerlessChecks()],
])('follows the rules %s of cdk-nag, or gives a reason', (_, pack) => {
  const { violations } = pack().validateScope(synthesize(STATUS).stack);
  const found = violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map((one) => `${ruleName} ${one.constructPath}`),
  );
  expect(found).toEqual([]);
});

it('finds unacknowledged violations', () => {
  const { stack } = synthesize();
  const [one] = stack.node.findAll().filter((each) => each.node.id === 'Dead-tick');
  const key = 'aws:cdk:acknowledged-rules';
  expect(one!.node.metadata.filter((entry) => entry.type === key).length).toBeGreaterThan(0);
  Object.defineProperty(one!.node, 'metadata', { value: [], configurable: true });
  try {
    const { violations } = new ServerlessChecks().validateScope(stack);
    expect(violations.map((each) => each.ruleName)).toEqual(['Serverless-SQSRedrivePolicy']);
  } finally {
    Reflect.deleteProperty(one!.node, 'metadata');
  }
});

// cfn-lint is installed with the emulator, which only nightly tests use.
if (isNightly) {
  it('passes cfn-lint', async () => {
    const file = join(dir, 'template.json');
    writeFileSync(file, JSON.stringify(synthesize().template.toJSON()));
    // W3005: the CDK lists the role of a function as a dependency although it is also referenced.
    const args = ['--ignore-checks', 'W3005', '--regions', 'eu-central-1', 'us-east-1', '--template', file];
    const { code, out } = await run(join(await pythonTools(), 'cfn-lint'), args, { limitSeconds: 60 });
    expect({ code, out }).toEqual({ code: 0, out: '' });
  });
}
