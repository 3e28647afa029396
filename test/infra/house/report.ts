import { posix } from 'node:path';
import { parseArgs } from 'node:util';
import { disorder, HOUSE, partOf, upward } from './floors.ts';
import { type Import, importsOf } from './imports.ts';
import { files, sources, textOf } from './sources.ts';
import { measureWalks } from './walks.ts';

/**
 * `npm run house`: prints figures of the code structure. `-- --walks` also runs the four main walks on a service in
 * this process and counts the involved files.
 */
const { values } = parseArgs({ options: { walks: { type: 'boolean', default: false } } });

/** Committed files that a script writes. */
const GENERATED = /^(docs\/catalog-ops\.json|infra\/docs\/(api-digest\.txt|examples\.ndjson))$/;
/** Generated table in a page. */
const TABLE = /^<!-- table: .*?^<!-- \/table -->$/gms;

const print = (line: string) => process.stdout.write(`${line}\n`);
const linesOf = (text: string): number => text.trimEnd().split('\n').length;
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

const all = sources();
const lib = new Map([...all].filter(([file]) => file.startsWith('lib/') && file.endsWith('.ts')));
const imports = [...lib].flatMap(([file, text]) => importsOf(file, text));

print('room                 files   lines');
for (const room of [...new Set([...lib.keys()].map((file) => file.split('/').slice(0, 2).join('/')))].toSorted()) {
  const own = [...lib].filter(([file]) => file === room || file.startsWith(`${room}/`));
  print(row(room, own.length, sum(own.map(([, text]) => linesOf(text)))));
}
print(row('lib', lib.size, sum([...lib.values()].map(linesOf))));
print('');
for (const [name, count] of Object.entries(figures())) print(`${String(count).padStart(7)}  ${name}`);
if (values.walks) {
  print('');
  print('walk                 files   stops   turns back');
  for (const { name, took, stops, turnsBack } of await measureWalks()) {
    print(`${row(name, took.length, stops)} ${String(turnsBack).padStart(12)}`);
  }
}

function row(name: string, ...counts: number[]): string {
  return name.padEnd(18) + counts.map((count) => String(count).padStart(8)).join('');
}

function figures(): Record<string, number> {
  const importers = new Map<string, Set<string>>();
  for (const { file, from } of imports) importers.set(from, (importers.get(from) ?? new Set()).add(file));
  const alone = [...lib.keys()].filter((file) => {
    const by = [...(importers.get(file) ?? [])];
    return by.length === 1 && posix.dirname(by[0]!) === posix.dirname(file);
  });
  const lengths = [...lib.values()].map(linesOf).toSorted((a, b) => a - b);
  const written = files.filter((file) => !/^(package-lock\.json|LICENSE)$/.test(file));
  const generated = [
    ...written.filter((file) => GENERATED.test(file)).map(textOf),
    ...written.filter((file) => file.endsWith('.md')).flatMap((file) => textOf(file).match(TABLE) ?? []),
  ];
  return {
    'files in lib': lib.size,
    'import statements in lib': sum([...lib.values()].map((text) => (text.match(/^import /gm) ?? []).length)),
    'lines of the median file of lib': lengths[Math.floor(lengths.length / 2)]!,
    'lines of the longest file of lib': lengths.at(-1)!,
    'files of lib with their only importer in their folder': alone.length,
    'of these under 40 lines': alone.filter((file) => linesOf(lib.get(file)!) < 40).length,
    'pairs of folders that import each other': mutualPairs(imports),
    'imports against the order of rooms': upward(imports).length,
    'imports against the order of folders, and import cycles': disorder(imports).length,
    'rooms of lib': HOUSE.filter(({ room }) => room.startsWith('lib/')).length,
    'casts in lib': sum([...lib.values()].map(castsIn)),
    'generated lines in the repository': sum(generated.map(linesOf)),
    'lines of tests': sum([...all].filter(([file]) => file.startsWith('test/')).map(([, text]) => linesOf(text))),
  };
}

/** Returns the number of pairs of folders, or of files directly in a room, that import each other. */
function mutualPairs(all: readonly Import[]): number {
  const pairs = new Set<string>();
  for (const { file, from } of all) {
    const [here, there] = [partOf(file), partOf(from)];
    if (here && there && here !== there) pairs.add(`${here} ${there}`);
  }
  return [...pairs].filter((pair) => pairs.has(pair.split(' ').toReversed().join(' '))).length / 2;
}

/** Returns the number of type assertions of a file, without `as const`. */
function castsIn(text: string): number {
  const code = text
    .replaceAll(/^(?:import|export) (?:type )?[\w*{][^;]*? from '[^']+'[^;]*;$/gm, '')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '')
    .replaceAll(/'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, "''");
  return (code.match(/[\w)\]}'!>] as (?!const\b)[\w{[(]/g) ?? []).length;
}
