import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApiKeyItem, type ApiKeyPointer, digestOf, type KeyRecord } from '#lib/access/api-key.ts';
import { changeKey } from '#lib/access/change-key.ts';
import type { Context } from '#lib/access/context.ts';
import { deleteKey, requireKey } from '#lib/access/delete-key.ts';
import { issueKey } from '#lib/access/issue-key.ts';
import { earlier, expiryOf, nextExpiry } from '#lib/access/key-expiry.ts';
import { fullKey, NewKey } from '#lib/access/new-key.ts';
import { rotateKey } from '#lib/access/rotate-key.ts';
import { keyList } from '#lib/access/store.ts';
import { removeUser } from '#lib/access/team/remove-user.ts';
import { iso } from '#lib/platform/time.ts';
import { type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';

const [MINUTE, DAY] = [60_000, 86_400_000];

const codeOf = (world: MemoryWorld, raw: string): Promise<string> =>
  world.bearer(raw).then(
    () => 'let in',
    (error) => error.code,
  );
const all = async (context: Context): Promise<KeyRecord[]> =>
  (await keyList(context)(undefined, 1000)).found.map(({ value }) => value);
const recordOf = async (context: Context, id: string) => (await all(context)).find((key) => key.id === id);
const pointerOf = (context: Context, id: string) => requireKey(context, id);
const rotate = async (context: Context, id: string, overlap_seconds = 3600) =>
  rotateKey(context, await pointerOf(context, id), { overlap_seconds });
const issue = (context: Context, more: Partial<NewKey> = {}) =>
  issueKey(context, context.caller.user_id, { ...fullKey('a'), ...more });

describe('a key that expires', () => {
  it('is good up to the millisecond before', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const key = await issue(context, { expires_at: world.ports.clock.now() + MINUTE });
    world.advance(MINUTE - 1);
    expect((await world.bearer(key.key)).caller.valid_until).toBe(Date.parse(key.expires_at!));
    world.advance(1);
    await expect(world.bearer(key.key)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      message: `This API key expired on ${key.expires_at}. Make another, or rotate the next one in time.`,
      headers: { 'www-authenticate': 'Bearer' },
    });
  });

  it('is listed as expired for 90 days, and then neither listed nor found', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const { id } = await issue(context, { expires_at: world.ports.clock.now() + MINUTE });
    world.advance(MINUTE);
    expect(await recordOf(context, id)).toMatchObject({ status: 'expired' });
    world.advance(90 * DAY - 1);
    expect(await recordOf(context, id)).toMatchObject({ status: 'expired' });
    world.advance(1);
    expect(await recordOf(context, id)).toBeUndefined();
    await expect(pointerOf(context, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is dropped by the table after these 90 days, with its pointer, also one that was rotated or shortened', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const at = world.ports.clock.now() + 10 * DAY;
    const [made, shortened, rotated] = [
      await issue(context, { expires_at: at }),
      await issue(context, { expires_at: at + DAY }),
      await issue(context),
    ];
    await changeKey(context, await pointerOf(context, shortened.id), { expires_at: at });
    await rotate(context, rotated.id, 7 * 86_400);
    for (const [{ key, id }, until] of [
      [made, at],
      [shortened, at],
      [rotated, at - 3 * DAY],
    ] as const) {
      const expires_at = (until + 90 * DAY) / 1000;
      expect(await world.store.get<ApiKeyItem>(world.keys.apiKey(digestOf(key)))).toMatchObject({ expires_at });
      expect(await world.store.get<ApiKeyPointer>(world.keys.apiKeyPointer(context.tenant, id))).toMatchObject({
        expires_at,
      });
    }
  });

  it('costs the gate one read, as every key does', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const key = await issue(context, { expires_at: world.ports.clock.now() + DAY, scopes: ['read'] });
    await world.bearer(key.key);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const before = { ...world.requests };
    for (let i = 0; i < 5; i++) await world.bearer(key.key);
    expect(world.requests).toEqual({ reads: before.reads + 5, writes: before.writes });
  });
});

describe('when a key expires', () => {
  const some = fc.option(fc.integer({ min: MINUTE, max: 3650 * DAY }), { nil: null });

  it('is never later than its maker does', () => {
    fc.assert(
      fc.property(some, some, (wanted, maker) => {
        const now = 1_800_000_000_000;
        const until = maker === null ? null : now + maker;
        let made: number | null;
        try {
          made = expiryOf(now, wanted === null ? null : now + wanted, until);
        } catch {
          expect(wanted! > maker!).toBe(true);
          return;
        }
        expect(earlier(made, until)).toBe(made);
      }),
    );
  });

  it('of one that takes the place of another, neither', () => {
    fc.assert(
      fc.property(some, some, fc.nat(3650 * DAY), (span, maker, age) => {
        const now = 1_800_000_000_000;
        const old = { created_at: iso(now - age), valid_until: span === null ? null : now - age + span };
        const until = maker === null ? null : now + maker;
        const made = nextExpiry(now, old, until);
        expect(earlier(made, until)).toBe(made);
        if (made !== null && made !== until) expect(made - now).toBe(span);
      }),
    );
  });
});

describe('the limit of keys', () => {
  it('counts no key that has expired', async () => {
    const world = memoryWorld();
    const { context } = await world.account({ key_limit_per_user: 3 });
    const expires_at = world.ports.clock.now() + MINUTE;
    const first = await issue(context, { expires_at });
    await issue(context, { expires_at });
    await expect(issue(context)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    world.advance(MINUTE);
    await issue(context);
    // One that is counted no longer gives no room when it is deleted.
    await deleteKey(context, await pointerOf(context, first.id));
    await issue(context);
    await expect(issue(context)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect((await all(context)).filter(({ status }) => status === 'active')).toHaveLength(3);
  });

  it('holds for rotation, whose old key counts while it is good', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account({ key_limit_per_user: 2 });
    const next = await rotate(context, key.id, 60);
    await expect(rotate(context, next.id)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await recordOf(context, next.id)).toMatchObject({ rotated_to: null });
    world.advance(MINUTE);
    expect((await rotate(context, next.id)).rotated_from).toBe(next.id);
  });

  it('is never passed, whatever is made, deleted, rotated and expires', async () => {
    const step = fc.constantFrom('make', 'make short', 'delete', 'rotate', 'wait');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(20)), { maxLength: 25 }), async (steps) => {
        const world = memoryWorld();
        const { context } = await world.account({ key_limit_per_user: 4 });
        const live = async () => (await all(context)).filter(({ status }) => status === 'active').length;
        for (const [what, which] of steps) {
          const known = await all(context);
          const one = known[which % Math.max(1, known.length)]?.id;
          const before = await live();
          const adds = what.startsWith('make') || what === 'rotate';
          const done = await (async () => {
            if (what === 'wait') world.advance(MINUTE);
            if (what === 'make') await issue(context);
            if (what === 'make short') await issue(context, { expires_at: world.ports.clock.now() + MINUTE });
            if (what === 'delete' && one) await deleteKey(context, await pointerOf(context, one));
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

describe('a rotation', () => {
  /** A world that loses the answer of the next write when told to. */
  function forgetful() {
    const next = { isLost: false };
    const world: MemoryWorld = memoryWorld((table) => ({
      ...table,
      transact: async (writes) => {
        const outcome = await table.transact(writes);
        if (!next.isLost) return outcome;
        next.isLost = false;
        return { ok: false, failed: [], present: [], conflict: true };
      },
    }));
    return { world, next };
  }

  it('that was done is told as done when the answer of the store is lost', async () => {
    const { world, next } = forgetful();
    const { context, key } = await world.account();
    next.isLost = true;
    const made = await rotate(context, key.id);
    expect(await codeOf(world, made.key)).toBe('let in');
    expect(await recordOf(context, key.id)).toMatchObject({ rotated_to: made.id });
    expect(await all(context)).toHaveLength(2);
  });

  it('lets both keys in during the overlap, and one after it', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account();
    const made = await rotate(context, key.id, 60);
    world.advance(MINUTE - 1);
    expect([await codeOf(world, key.key), await codeOf(world, made.key)]).toEqual(['let in', 'let in']);
    world.advance(1);
    expect([await codeOf(world, key.key), await codeOf(world, made.key)]).toEqual(['UNAUTHORIZED', 'let in']);
  });

  it('does not let the old key live longer than it would have', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const old = await issue(context, { expires_at: world.ports.clock.now() + MINUTE });
    await rotate(context, old.id, 3600);
    expect((await recordOf(context, old.id))!.expires_at).toBe(old.expires_at);
  });

  it('by a key that was rotated itself makes one that ends with that', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account();
    await rotate(context, key.id, 60);
    const made = await issueKey(context, context.caller.user_id, fullKey('b'));
    const late = await world.bearer(key.key);
    const next = await rotateKey(late, await pointerOf(late, made.id), { overlap_seconds: 0 });
    expect(next.expires_at).toBe(iso(late.caller.valid_until!));
  });

  it('is refused for a user who was removed meanwhile, and then changes nothing', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const key = await issue(context);
    const pointer = await pointerOf(context, key.id);
    await world.store.transact([{ delete: world.keys.user(context.tenant, context.caller.user_id) }]);
    await expect(rotateKey(context, pointer, { overlap_seconds: 0 })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await codeOf(world, key.key)).toBe('let in');
  });
});

describe('a user whose removal is cut off', () => {
  it('has no room for more keys than are allowed', async () => {
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
    const left = await all(context);
    const now = (await world.store.get<{ keys: number } & { pk: string; sk: string }>(
      world.keys.user(context.tenant, user.id),
    ))!;
    expect(now.keys).toBeGreaterThanOrEqual(left.filter(({ status }) => status === 'active').length);
  });
});

describe('what a key item weighs', () => {
  it('is a few hundred bytes, and one read unit with all that it may be held to', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account();
    const sizeOf = async (raw: string) =>
      JSON.stringify(await world.store.get(world.keys.apiKey(digestOf(raw)))).length;
    expect(await sizeOf(key.key)).toBeLessThan(1024);
    const check_ids = Array.from({ length: 50 }, (_, n) => `chk_${String(n).padStart(26, '0')}`);
    await world.store.putMany(check_ids.map((id) => world.keys.check(context.tenant, id)));
    const held = await issue(context, NewKey.parse({ label: '🙂'.repeat(200), scopes: ['push'], check_ids }));
    expect(await sizeOf(held.key)).toBeLessThan(4096);
  });
});
