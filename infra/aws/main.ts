import { App } from 'aws-cdk-lib';
import { readDeploySettings } from './settings.ts';
import { FleetwatchStack } from './stack.ts';

/** The CDK app: `npm run deploy`, or any `cdk` command, runs it. */
const app = new App();
new FleetwatchStack(app, readDeploySettings(app.node), {
  env: { account: process.env.CDK_DEFAULT_ACCOUNT!, region: process.env.CDK_DEFAULT_REGION! },
});
