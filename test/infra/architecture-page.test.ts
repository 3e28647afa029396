import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HOUSE } from './house/floors.ts';

/** Returns the names in backticks. */
const namesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

it('docs/develop/architecture.md lists the rooms of lib with their folders, in order', () => {
  const page = readFileSync('docs/develop/architecture.md', 'utf8');
  const [, rooms = ''] = page.split(/^## Rooms$/m);
  const rows = [...rooms.matchAll(/^\| (`[^|]+`) \|[^|]*\|([^|]*)\|$/gm)];
  const listed = rows.map(([, room = '', folders = '']) => ({ room: namesIn(room)[0], folders: namesIn(folders) }));
  const inLib = HOUSE.filter(({ room }) => room === 'lib' || room.startsWith('lib/'));
  const expected = inLib.map(({ room, folders = [] }) => ({
    room: room === 'lib' ? 'lib/*.ts' : room.slice('lib/'.length),
    folders: [...folders],
  }));
  expect(listed.slice(0, expected.length)).toEqual(expected);
});
