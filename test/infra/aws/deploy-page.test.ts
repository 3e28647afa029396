import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DeploySettings } from '#infra/aws/settings.ts';

it('docs/DEPLOY.md lists every setting of a deployment, with its default', () => {
  const page = readFileSync('docs/DEPLOY.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| ([^|]*?) ?\|/gm)].map(([, name, value]) => [name, value]);
  const defaults = Object.entries(DeploySettings.parse({})).map(([name, value]) => [
    name,
    typeof value === 'object' && !Array.isArray(value) ? '' : String(value ?? ''),
  ]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(defaults));
});
