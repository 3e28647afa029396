import { deadExports } from './dead-exports.ts';
import { disorder, upward } from './floors.ts';
import { importsOf } from './imports.ts';
import { notForPages } from './page-imports.ts';
import { sources } from './sources.ts';

/** The part of `npm run check` that reads the imports of all files together. */
const all = sources();
const imports = [...all].flatMap(([file, text]) => importsOf(file, text));
const faults = [...upward(imports), ...disorder(imports), ...deadExports(all, imports), ...notForPages(all)];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
