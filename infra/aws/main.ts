import { App } from 'aws-cdk-lib';
import { readDeploySettings } from './settings.ts';
import { FleetwatchStack } from './stack.ts';

const app = new App();
new FleetwatchStack(app, readDeploySettings(app.node), {
  env: { account: process.env.CDK_DEFAULT_ACCOUNT!, region: process.env.CDK_DEFAULT_REGION! },
});
