import { describe, expect, it } from 'vitest';
import { requireKey, rotateKey } from '#lib/access/change-key.ts';
import { issueKey } from '#lib/access/issue-key.ts';
import { fullKey } from '#lib/access/new-key.ts';
import { iso } from '#lib/platform/time.ts';
import { allKeys, issue, keyWith, rotate } from '#test/support/keys.ts';
import { type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';

const MINUTE = 60_000;

const codeOf = (world: MemoryWorld, raw: string): Promise<string> =>
  world.bearer(raw).then(
    () => 'let in',
    (error) => error.code,
  );

describe('rotateKey', () => {
  /** Creates a world that loses the response of the next write on demand. */
  function forgetful() {
    const next = { isLost: false };
    const world: MemoryWorld = memoryWorld((table) => ({
      ...table,
      transact: async (writes) => {
        const outcome = await table.transact(writes);
        // Ignores a transaction of one write, because it only records the use of a key.
        if (!next.isLost || !outcome.ok || writes.length === 1) return outcome;
        next.isLost = false;
        return { ok: false, failed: [], present: [], conflict: true };
      },
    }));
    return { world, next };
  }

  it('returns the new key when the response of the store is lost', async () => {
    const { world, next } = forgetful();
    const { context, key } = await world.account();
    next.isLost = true;
    const made = await rotate(context, key.id);
    expect(await codeOf(world, made.key)).toBe('let in');
    expect(await keyWith(context, key.id)).toMatchObject({ rotated_to: made.id });
    expect(await allKeys(context)).toHaveLength(2);
  });

  it('accepts both keys during the overlap, and one after it', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account();
    const made = await rotate(context, key.id, 60);
    world.advance(MINUTE - 1);
    expect([await codeOf(world, key.key), await codeOf(world, made.key)]).toEqual(['let in', 'let in']);
    world.advance(1);
    expect([await codeOf(world, key.key), await codeOf(world, made.key)]).toEqual(['UNAUTHORIZED', 'let in']);
  });

  it('does not extend the life of the old key', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const old = await issue(context, { expires_at: world.ports.clock.now() + MINUTE });
    await rotate(context, old.id, 3600);
    expect((await keyWith(context, old.id))!.expires_at).toBe(old.expires_at);
  });

  it('limits the new key to the expiry of the key of the caller', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account();
    await rotate(context, key.id, 60);
    const made = await issueKey(context, context.caller.user_id, fullKey('b'));
    const late = await world.bearer(key.key);
    const next = await rotateKey(late, await requireKey(late, made.id), { overlap_seconds: 0 });
    expect(next.expires_at).toBe(iso(late.caller.valid_until!));
  });

  it('fails without a change if the user has been removed', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const key = await issue(context);
    const pointer = await requireKey(context, key.id);
    await world.store.transact([{ delete: world.keys.user(context.tenant, context.caller.user_id) }]);
    await expect(rotateKey(context, pointer, { overlap_seconds: 0 })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await codeOf(world, key.key)).toBe('let in');
  });
});
