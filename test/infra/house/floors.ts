import type { Import } from './imports.ts';

/** The house from its ground: a file imports from its own room and from floors below. */
const FLOORS = [
  ['lib/platform'],
  ['lib/key-prefixes.ts', 'lib/keys.ts', 'lib/messages.ts'],
  ['lib/env.ts'],
  ['lib/audit'],
  ['lib/access'],
  ['lib/catalog', 'lib/schedule', 'lib/sign-in', 'lib/console'],
  ['lib/checks'],
  ['lib/health'],
  ['lib/alerts', 'lib/actions'],
  ['lib/mcp'],
  ['lib'],
  // The page takes no more of lib than page-imports.ts lets it.
  ['functions', 'console'],
  ['infra'],
  ['test'],
];

/** The longest path first: a file is of the first room that fits. */
const ROOMS = FLOORS.flatMap((rooms, floor) => rooms.map((room) => ({ room, floor }))).toSorted(
  (a, b) => b.room.length - a.room.length,
);

const placeOf = (file: string) => ROOMS.find(({ room }) => file === room || file.startsWith(`${room}/`));

/** A sentence of each import that goes up, or across to a room of the same floor. */
export const upward = (imports: readonly Import[]): string[] =>
  imports.flatMap(({ file, from }) => {
    const [here, there] = [placeOf(file), placeOf(from)];
    if (!here || !there || here.room === there.room || here.floor > there.floor) return [];
    const where = here.floor === there.floor ? 'on the same floor as' : 'above';
    return [
      `${file} imports ${from}: ${there.room} is ${where} ${here.room} (CONTRIBUTING.md#the-rules-of-the-house).`,
    ];
  });
