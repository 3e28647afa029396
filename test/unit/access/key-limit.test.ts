import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deleteKey, requireKey } from '#lib/access/change-key.ts';
import { removeUser } from '#lib/identity/team/change-user.ts';
import { activeKeys, allKeys, issue, keyWith, rotate } from '#test/support/keys.ts';
import { type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';

const MINUTE = 60_000;

describe('key limit', () => {
  it('does not count expired keys', async () => {
    const world = memoryWorld();
    const { context } = await world.account({ key_limit_per_user: 3 });
    const expires_at = world.ports.clock.now() + MINUTE;
    const first = await issue(context, { expires_at });
    await issue(context, { expires_at });
    await expect(issue(context)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    world.advance(MINUTE);
    await issue(context);
    // The deletion of an expired key does not allow another key, because the key was no longer counted.
    await deleteKey(context, await requireKey(context, first.id));
    await issue(context);
    await expect(issue(context)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await activeKeys(context)).toHaveLength(3);
  });

  it('applies to rotation: the old key counts while it is valid', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account({ key_limit_per_user: 2 });
    const next = await rotate(context, key.id, 60);
    await expect(rotate(context, next.id)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await keyWith(context, next.id)).toMatchObject({ rotated_to: null });
    world.advance(MINUTE);
    expect((await rotate(context, next.id)).rotated_from).toBe(next.id);
  });

  it('is never exceeded by any sequence of creations, deletions, rotations and expiries', async () => {
    const step = fc.constantFrom('make', 'make short', 'delete', 'rotate', 'wait');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(20)), { maxLength: 25 }), async (steps) => {
        const world = memoryWorld();
        const { context } = await world.account({ key_limit_per_user: 4 });
        const live = async () => (await activeKeys(context)).length;
        for (const [what, which] of steps) {
          const known = await allKeys(context);
          const one = known[which % Math.max(1, known.length)]?.id;
          const before = await live();
          const adds = what.startsWith('make') || what === 'rotate';
          const done = await (async () => {
            if (what === 'wait') world.advance(MINUTE);
            if (what === 'make') await issue(context);
            if (what === 'make short') await issue(context, { expires_at: world.ports.clock.now() + MINUTE });
            if (what === 'delete' && one) await deleteKey(context, await requireKey(context, one));
            if (what === 'rotate' && one) await rotate(context, one, which);
          })().then(
            () => 'done',
            (error) => error.code,
          );
          expect(await live()).toBeLessThanOrEqual(4);
          if (adds && done === 'LIMIT_EXCEEDED') expect(before).toBe(4);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('user after an interrupted removal', () => {
  it('has a stored key count that includes all active keys', async () => {
    let isFailing = false;
    const world: MemoryWorld = memoryWorld((table) => ({
      ...table,
      transact: (writes) =>
        isFailing && writes.some((write) => 'delete' in write && write.delete.sk.startsWith('usr_'))
          ? Promise.reject(new Error('crash'))
          : table.transact(writes),
    }));
    const { context, user } = await world.account({ key_limit_per_user: 60 });
    const until = world.ports.clock.now() + MINUTE;
    for (let n = 0; n < 59; n++) await issue(context, { expires_at: until });
    world.advance(MINUTE);
    for (let n = 0; n < 59; n++) await issue(context);
    await world.store.transact([
      {
        put: {
          ...user,
          ...world.keys.user(context.tenant, 'usr_z'),
          id: 'usr_z',
          v: 'z',
        } as never,
      },
    ]);
    isFailing = true;
    await expect(removeUser(context, user.id)).rejects.toThrow('crash');
    const left = await activeKeys(context);
    const now = (await world.store.get<{ keys: number } & { pk: string; sk: string }>(
      world.keys.user(context.tenant, user.id),
    ))!;
    expect(now.keys).toBeGreaterThanOrEqual(left.length);
  });
});
