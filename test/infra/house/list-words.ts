import { parseArgs } from 'node:util';
import { files, textOf } from './sources.ts';
import { findWords, say } from './words.ts';

/** `node test/infra/house/list-words.ts [PREFIX]`: lists wordings to avoid below a path, or counts per room. */
const [prefix] = parseArgs({ allowPositionals: true }).positionals;
const texts = files.filter((file) => file.startsWith(prefix ?? '')).map((file) => [file, textOf(file)] as const);
const print = (line: string) => process.stdout.write(`${line}\n`);
const findings = findWords(new Map(texts));
if (prefix) for (const finding of findings) print(say(finding));
else {
  const rooms = Map.groupBy(findings, ({ room, pattern }) => (pattern.budget === undefined ? room : pattern.id));
  for (const [room, found] of [...rooms].toSorted()) print(`${String(found.length).padStart(6)}  ${room}`);
}
