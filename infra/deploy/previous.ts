import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '#infra/smoke/call.ts';

/** Folder of the last synthesis (the default of the CDK). */
export const ASSEMBLY = 'cdk.out';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Replaces the template of a stack in the last synthesis with `template`, so that the CDK deploys it with the roles of
 * the CDK. The code that the template names was uploaded by an earlier deployment, and the bootstrap bucket keeps it.
 */
export function replaceTemplate(stack: string, template: Json): void {
  const path = (file: string) => join(ROOT, ASSEMBLY, file);
  const read = (file: string): Json => JSON.parse(readFileSync(path(file), 'utf8'));
  const text = JSON.stringify(template);
  const key = `${createHash('sha256').update(text).digest('hex')}.json`;
  const manifest = read('manifest.json');
  const { properties } = manifest.artifacts[stack];
  const assets = read(`${stack}.assets.json`);
  const ofTemplate = Object.entries<Json>(assets.files).filter(
    ([, file]) => file.source.path === properties.templateFile,
  );
  for (const [, file] of ofTemplate) for (const one of Object.values<Json>(file.destinations)) one.objectKey = key;
  properties.stackTemplateAssetObjectUrl = properties.stackTemplateAssetObjectUrl.replace(/[^/]+$/, key);
  assets.files = Object.fromEntries(ofTemplate);
  writeFileSync(path(properties.templateFile), text);
  writeFileSync(path(`${stack}.assets.json`), JSON.stringify(assets));
  writeFileSync(path('manifest.json'), JSON.stringify(manifest));
}
