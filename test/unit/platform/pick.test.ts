import { expect, test } from 'vitest';
import * as z from 'zod';
import { pick } from '#lib/platform/plain-data.ts';

const Shown = z.object({ id: z.string(), note: z.string().nullable(), size: z.int().optional() });

test('a record has the members that its schema names, in that order, and nothing else of the item', () => {
  const item = { note: null, pk: 'T#1', id: 'a', secret: 'x' };
  expect(JSON.stringify(pick(Shown, item))).toBe('{"id":"a","note":null}');
});

test('a member that the item lacks is absent from its record', () => {
  expect(Object.keys(pick(Shown, { id: 'a', note: '' }))).toEqual(['id', 'note']);
  expect(pick(Shown, { id: 'a', note: '', size: 0 })).toEqual({ id: 'a', note: '', size: 0 });
});
