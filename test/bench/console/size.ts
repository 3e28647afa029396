import { gunzipSync } from 'node:zlib';
import { generate } from '#infra/docs/generate.ts';
import { buildConsole } from '#lib/page/build.ts';
import type { PackedFile } from '#lib/platform/assets.ts';
import type { Figures } from './targets.ts';

const bytes = ({ gzip }: PackedFile) => Buffer.from(gzip, 'base64');

/** Measures the scripts and style that the HTML page links, all scripts and styles, and the duration of the build. */
export async function size(): Promise<Figures> {
  const began = performance.now();
  const { page, assets } = await buildConsole(generate().console);
  const build_ms = performance.now() - began;
  const html = gunzipSync(bytes(page)).toString();
  const kb = (files: [string, PackedFile][]) => files.reduce((sum, [, file]) => sum + bytes(file).length, 0) / 1024;
  const first = Object.entries(assets).filter(([name]) => html.includes(`/assets/${name}"`));
  return { first_load_gzip_kb: kb(first), all_pages_gzip_kb: kb(Object.entries(assets)), build_ms };
}
