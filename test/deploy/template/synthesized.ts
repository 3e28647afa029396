import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { readDeploySettings } from '#infra/aws/settings.ts';
import { FleetwatchStack } from '#infra/aws/stack.ts';

/** The stack as it would be deployed with these settings, and nothing deployed. */
export function synthesize(settings: Record<string, string> = {}) {
  const app = new App({ context: settings });
  const stack = new FleetwatchStack(app, readDeploySettings(app.node));
  return { app, stack, template: Template.fromStack(stack) };
}

export type Resource = { Type: string; Properties: Record<string, never> };

/** Logical ids and properties of all resources of a type. */
export const ofType = (template: Template, type: string) =>
  Object.entries(template.findResources(type)).map(([id, { Properties }]) => ({ id, ...Properties }));
