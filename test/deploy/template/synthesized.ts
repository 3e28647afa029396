import { readFileSync } from 'node:fs';
import { App, type StackProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { readDeploySettings } from '#infra/aws/settings.ts';
import { FleetwatchStack } from '#infra/aws/stack.ts';
import type { FunctionName } from '#infra/topology.ts';

/** Feature flags of the CDK, which cdk.json sets for each deployment. */
const FLAGS: Record<string, unknown> = JSON.parse(readFileSync('cdk.json', 'utf8')).context;

type Synthesized = ReturnType<typeof synthesizeNew>;
const known = new Map<string, Synthesized>();

/** Synthesizes the stack with these settings, once per process: a test that changes the stack must restore it. */
export function synthesize(settings: Record<string, string> = {}, props: StackProps = {}): Synthesized {
  const key = JSON.stringify([settings, props]);
  const one = known.get(key) ?? synthesizeNew(settings, props);
  known.set(key, one);
  return one;
}

function synthesizeNew(settings: Record<string, string>, props: StackProps) {
  const app = new App({ context: FLAGS });
  const stack = new FleetwatchStack(app, readDeploySettings(settings), props);
  return { app, stack, template: Template.fromStack(stack) };
}

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of any depth
export type Json = any;

/** Returns logical ids and properties of all resources of a type. */
export const ofType = (template: Template, type: string): Json[] =>
  Object.entries(template.findResources(type)).map(([id, { Properties }]) => ({ id, ...Properties }));

export const functionIn = (template: Template, name: FunctionName): Json =>
  ofType(template, 'AWS::Lambda::Function').find((one) => one.Description === `Fleetwatch ${name}`);

/** Returns the logical id of a queue of the topology. */
export const queueIn = (template: Template, name: string): string =>
  ofType(template, 'AWS::SQS::Queue').find((one) => one.id.startsWith(`Queue${name}`)).id;
