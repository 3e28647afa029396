import { deadExports } from './dead-exports.ts';
import { disorder, upward } from './floors.ts';
import { importsOf } from './imports.ts';
import { withoutHash } from './lock-file.ts';
import { notForPages } from './page-imports.ts';
import { files, sources, textOf } from './sources.ts';
import { wordFaults } from './words.ts';

/** Part of `npm run check` that reads all files together: their imports, their wording, and the lock file. */
const all = sources();
const imports = [...all].flatMap(([file, text]) => importsOf(file, text));
const texts = new Map(files.map((file) => [file, all.get(file) ?? textOf(file)] as const));
const importFaults = [...upward(imports), ...disorder(imports), ...deadExports(all, imports), ...notForPages(all)];
const faults = [...importFaults, ...wordFaults(texts), ...withoutHash(textOf('package-lock.json'))];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
