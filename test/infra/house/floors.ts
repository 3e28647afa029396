import type { Import } from './imports.ts';

/**
 * Layers of the repository: rooms in order, each with its folders in order. A file imports from its own room and from
 * earlier rooms; in a room, a folder imports from earlier folders. A file directly in a room counts as a folder. A name
 * that ends in `.ts` is a room of one file.
 */
export const HOUSE: readonly { room: string; folders?: readonly string[] }[] = [
  { room: 'lib/platform', folders: ['sharing', 'table', 'http', 'secrets'] },
  { room: 'lib/net' },
  { room: 'lib/keys.ts' },
  { room: 'lib/messages.ts' },
  { room: 'lib/settings.ts' },
  { room: 'lib/unknown-settings.ts' },
  { room: 'lib/env.ts' },
  { room: 'lib/aws', folders: ['lambda'] },
  { room: 'lib/audit' },
  { room: 'lib/access' },
  { room: 'lib/catalog', folders: ['relations'] },
  { room: 'lib/page' },
  { room: 'lib/schedule', folders: ['calendar'] },
  { room: 'lib/checks', folders: ['assertions', 'conversation', 'types', 'state', 'settings', 'change'] },
  { room: 'lib/identity', folders: ['sessions', 'team', 'passkeys', 'oidc'] },
  { room: 'lib/results', folders: ['probe', 'slots', 'pushes', 'pings', 'manual'] },
  { room: 'lib/channels', folders: ['types'] },
  { room: 'lib/history', folders: ['results', 'rollups', 'slos', 'status'] },
  {
    room: 'lib/alerting',
    folders: ['policy', 'decide', 'cause', 'notify', 'deadlines', 'configure', 'explain'],
  },
  { room: 'lib/incidents', folders: ['links'] },
  { room: 'lib/report' },
  { room: 'lib/actions', folders: ['template', 'run', 'remediation'] },
  { room: 'lib/metrics' },
  { room: 'lib/public', folders: ['pages', 'badges'] },
  { room: 'lib/mcp', folders: ['tools', 'skills', 'protocol', 'sse'] },
  { room: 'lib' },
  { room: 'functions' },
  // page-imports.ts restricts the imports of pages further.
  { room: 'console' },
  { room: 'infra' },
  { room: 'test' },
  { room: 'research' },
];

/** Pairs of rooms in the same layer, which must not import each other. */
const STRANGERS: readonly (readonly [string, string])[] = [
  ['lib/catalog', 'lib/page'],
  ['lib/catalog', 'lib/schedule'],
  ['lib/page', 'lib/schedule'],
  ['lib/checks', 'lib/identity'],
  ['lib/results', 'lib/channels'],
  ['lib/incidents', 'lib/actions'],
  ['functions', 'console'],
];

/** Longest path first: a file belongs to the first matching room. */
const ROOMS = HOUSE.map(({ room, folders = [] }, floor) => ({ room, folders, floor })).toSorted(
  (a, b) => b.room.length - a.room.length,
);
const roomOf = (file: string) => ROOMS.find(({ room }) => file === room || file.startsWith(`${room}/`));

const RULE = '(CONTRIBUTING.md#rules-of-the-house)';

/** Returns a sentence for each import from a later room, or from a room of the same layer. */
export const upward = (imports: readonly Import[]): string[] =>
  imports.flatMap(({ file, from }) => {
    const [here, there] = [roomOf(file), roomOf(from)];
    if (!here || !there || here.room === there.room) return [];
    const strangers = STRANGERS.some((pair) => pair.includes(here.room) && pair.includes(there.room));
    if (here.floor > there.floor && !strangers) return [];
    const where = strangers ? 'is in the same layer as' : 'comes after';
    return [`${file} imports ${from}: ${there.room} ${where} ${here.room} ${RULE}.`];
  });

/** Returns the folder of a room by its path, or the file itself if it is directly in the room. */
export function partOf(file: string): string | undefined {
  const room = roomOf(file);
  if (!room || room.folders.length === 0) return undefined;
  const [first = '', ...rest] = file.slice(room.room.length + 1).split('/');
  return rest.length === 0 ? file : `${room.room}/${first}`;
}

/** Returns a sentence for each unknown folder, each import from a later folder, and each import cycle in a room. */
export function disorder(imports: readonly Import[]): string[] {
  const faults = new Set<string>();
  const uses = new Map<string, Set<string>>();
  for (const { file, from } of imports) {
    const [room, here, there] = [roomOf(file), partOf(file), partOf(from)];
    if (!room || !here) continue;
    const order = room.folders.map((folder) => `${room.room}/${folder}`);
    if (here !== file && !order.includes(here)) faults.add(`${here} is missing in test/infra/house/floors.ts.`);
    if (!there || roomOf(from) !== room || here === there) continue;
    uses.set(here, (uses.get(here) ?? new Set()).add(there));
    const [own, other] = [order.indexOf(here), order.indexOf(there)];
    if (own >= 0 && other > own) faults.add(`${file} imports ${from}: ${there} comes after ${here} ${RULE}.`);
  }
  for (const cycle of cyclesIn(uses)) faults.add(`${cycle.join(' → ')} is an import cycle ${RULE}.`);
  return [...faults];
}

/** Returns each cycle once, starting with its alphabetically first part. */
function cyclesIn(uses: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const found = new Map<string, string[]>();
  const done = new Set<string>();
  function visit(part: string, way: readonly string[]): void {
    const at = way.indexOf(part);
    if (at >= 0) {
      const cycle = way.slice(at);
      const first = cycle.indexOf([...cycle].toSorted()[0]!);
      const turned = [...cycle.slice(first), ...cycle.slice(0, first)];
      found.set(turned.join(), [...turned, turned[0]!]);
    } else if (!done.has(part)) {
      for (const next of uses.get(part) ?? []) visit(next, [...way, part]);
      done.add(part);
    }
  }
  for (const part of [...uses.keys()].toSorted()) visit(part, []);
  return [...found.values()];
}
