import { readFileSync } from 'node:fs';
import { App, type StackProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { readDeploySettings } from '#infra/aws/settings.ts';
import { FleetwatchStack } from '#infra/aws/stack.ts';
import type { FunctionName } from '#infra/topology.ts';

/** What cdk.json gives each deployment: the feature flags of the CDK. */
const FLAGS: Record<string, unknown> = JSON.parse(readFileSync('cdk.json', 'utf8')).context;

type Synthesized = ReturnType<typeof anew>;
const known = new Map<string, Synthesized>();

/**
 * The stack as it would be deployed with these settings, and nothing deployed. Made once a process: a test that changes
 * it puts it right again.
 */
export function synthesize(settings: Record<string, string> = {}, props: StackProps = {}): Synthesized {
  const of = JSON.stringify([settings, props]);
  const one = known.get(of) ?? anew(settings, props);
  known.set(of, one);
  return one;
}

function anew(settings: Record<string, string>, props: StackProps) {
  const app = new App({ context: { ...FLAGS, ...settings } });
  const stack = new FleetwatchStack(app, readDeploySettings(app.node), props);
  return { app, stack, template: Template.fromStack(stack) };
}

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON as deep as it is
export type Json = any;

/** Logical ids and properties of all resources of a type. */
export const ofType = (template: Template, type: string): Json[] =>
  Object.entries(template.findResources(type)).map(([id, { Properties }]) => ({ id, ...Properties }));

export const functionIn = (template: Template, name: FunctionName): Json =>
  ofType(template, 'AWS::Lambda::Function').find((one) => one.Description === `Fleetwatch ${name}`);

/** The logical id of a queue of the topology. */
export const queueIn = (template: Template, name: string): string =>
  ofType(template, 'AWS::SQS::Queue').find((one) => one.id.startsWith(`Queue${name}`)).id;
