import { expect, it } from 'vitest';
import { createBlueprint, deleteBlueprint } from '#lib/catalog/change-blueprint.ts';
import { requireBlueprint } from '#lib/catalog/store.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

it('makes the oldest remaining blueprint the default when the default is deleted', async () => {
  const { account, advance } = memoryWorld();
  const { context } = await account();
  for (const slug of ['x', 'z', 'y']) {
    advance(1);
    await createBlueprint(context, { slug, name: slug, description: '', fields: [] });
  }
  await deleteBlueprint(context, 'x');
  expect((await requireBlueprint(context, 'y')).catalog.default_slug).toBe('z');
});
