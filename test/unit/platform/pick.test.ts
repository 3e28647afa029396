import { expect, test } from 'vitest';
import * as z from 'zod';
import { pick } from '#lib/platform/plain-data.ts';

const Shown = z.object({ id: z.string(), note: z.string().nullable(), size: z.int().optional() });

test('copies exactly the properties of the schema, in its order', () => {
  const item = { note: null, pk: 'T#1', id: 'a', secret: 'x' };
  expect(JSON.stringify(pick(Shown, item))).toBe('{"id":"a","note":null}');
});

test('omits a property that the item lacks', () => {
  expect(Object.keys(pick(Shown, { id: 'a', note: '' }))).toEqual(['id', 'note']);
  expect(pick(Shown, { id: 'a', note: '', size: 0 })).toEqual({ id: 'a', note: '', size: 0 });
});
