import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { readEnvironment } from '#infra/deploy/environment.ts';
import { functions } from '#infra/topology.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import { bundle } from './bundle/bundle.ts';
import { assertNoSettings } from './settings.ts';
import { FleetwatchStack } from './stack.ts';

const app = new App();
const { settings, file } = readEnvironment(app.node.tryGetContext('env'));
assertNoSettings(app.node.getAllContext(), file);
new FleetwatchStack(app, settings, {
  env: { account: process.env.CDK_DEFAULT_ACCOUNT!, region: process.env.CDK_DEFAULT_REGION! },
});

// Source maps, kept with the release for `admin trace`, and not deployed.
for (const name of namesOf(functions)) {
  const dir = join(app.outdir, 'source-maps', name);
  mkdirSync(dir, { recursive: true });
  for (const [code, map] of Object.entries(bundle(name).maps()))
    writeFileSync(join(dir, `${code}.map`), JSON.stringify(map));
}
