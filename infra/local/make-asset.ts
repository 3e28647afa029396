import { hash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** Folder of generated assets: next to compiled code, which an operator can place outside the installation. */
const FOLDER = join(process.env.NODE_COMPILE_CACHE || join(ROOT, '.cache'), 'generated');

const MAKERS = {
  openapi: async () => {
    const { generate } = await import('#infra/docs/generate.ts');
    return JSON.stringify(generate().openApi);
  },
  console: async () => {
    const { generate } = await import('#infra/docs/generate.ts');
    const { buildConsole } = await import('#lib/page/build.ts');
    return JSON.stringify(await buildConsole(generate().console));
  },
  docs: async () => {
    const { generate } = await import('#infra/docs/generate.ts');
    const { buildDocs } = await import('#infra/docs/site/build-site.ts');
    return JSON.stringify(await buildDocs(generate().openApi));
  },
};
export type AssetName = keyof typeof MAKERS;

/** Sources of all assets, and versions of the packages they use. */
const INPUTS = [
  '{lib,infra/docs,console}/**/*.{ts,tsx,css,html,json,ndjson}',
  'infra/local/make-asset.ts',
  'docs/catalog-ops.json',
  'docs/{use,operate,api}/*.md',
  '{package,package-lock,tsconfig}.json',
];

function digestOfInputs(): string {
  const files = globSync(INPUTS, { cwd: ROOT }).toSorted();
  const texts = files.map((file) => `${file}\n${readFileSync(join(ROOT, file), 'utf8')}`);
  return hash('sha256', texts.join('\n')).slice(0, 32);
}

/** Returns the content of a file, or undefined if it is absent or this user cannot read it. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Writes an asset under its final name only when it is complete, and removes the asset of other inputs. */
function keep(name: AssetName, file: string, text: string): void {
  mkdirSync(FOLDER, { recursive: true });
  const part = join(FOLDER, `part-${process.pid}`);
  writeFileSync(part, text);
  renameSync(part, join(FOLDER, file));
  for (const other of readdirSync(FOLDER)) {
    if (other.startsWith(`${name}-`) && other !== file) rmSync(join(FOLDER, other), { force: true });
  }
}

/** Prints an asset from the cache, or generates it. Warns on stderr if it cannot be cached. */
async function main([name]: string[]): Promise<void> {
  const asset = name as AssetName;
  const file = `${asset}-${digestOfInputs()}.json`;
  const kept = read(join(FOLDER, file));
  const text = kept ?? (await MAKERS[asset]());
  process.stdout.write(text);
  try {
    if (kept === undefined) keep(asset, file, text);
  } catch (error) {
    process.stderr.write(
      `The asset ${asset} was not cached, so each start generates it again: ${(error as Error).message}\n`,
    );
  }
}

await main(process.argv.slice(2));
