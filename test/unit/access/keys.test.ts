import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApiKeyItem, type ApiKeyPointer, digestOf, earlier, expiryOf, nextExpiry } from '#lib/access/api-key.ts';
import { changeKey, requireKey } from '#lib/access/change-key.ts';
import { NewKey } from '#lib/access/new-key.ts';
import { iso } from '#lib/platform/time.ts';
import { issue, keyWith, rotate } from '#test/support/keys.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

const [MINUTE, DAY] = [60_000, 86_400_000];

describe('expiring key', () => {
  it('is valid until the millisecond before its expiry', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const key = await issue(context, { expires_at: world.ports.clock.now() + MINUTE });
    world.advance(MINUTE - 1);
    expect((await world.bearer(key.key)).caller.valid_until).toBe(Date.parse(key.expires_at!));
    world.advance(1);
    await expect(world.bearer(key.key)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      message: `This API key expired on ${key.expires_at}. Create another one, and rotate it before it expires.`,
      headers: { 'www-authenticate': 'Bearer' },
    });
  });

  it('is listed as expired for 90 days, and then neither listed nor found', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const { id } = await issue(context, { expires_at: world.ports.clock.now() + MINUTE });
    world.advance(MINUTE);
    expect(await keyWith(context, id)).toMatchObject({ status: 'expired' });
    world.advance(90 * DAY - 1);
    expect(await keyWith(context, id)).toMatchObject({ status: 'expired' });
    world.advance(1);
    expect(await keyWith(context, id)).toBeUndefined();
    await expect(requireKey(context, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is deleted from the table with its pointer 90 days after its expiry, also if rotated or shortened', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const at = world.ports.clock.now() + 10 * DAY;
    const [made, shortened, rotated] = [
      await issue(context, { expires_at: at }),
      await issue(context, { expires_at: at + DAY }),
      await issue(context),
    ];
    await changeKey(context, await requireKey(context, shortened.id), { expires_at: at });
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

  it('needs one read to authenticate, like every key', async () => {
    const world = memoryWorld();
    const { context } = await world.account();
    const key = await issue(context, { expires_at: world.ports.clock.now() + DAY, scopes: ['read'] });
    await world.bearer(key.key);
    await world.written();
    const before = { ...world.requests };
    for (let i = 0; i < 5; i++) await world.bearer(key.key);
    expect(world.requests).toEqual({ reads: before.reads + 5, writes: before.writes });
  });
});

describe('expiry of a new key', () => {
  const some = fc.option(fc.integer({ min: MINUTE, max: 3650 * DAY }), { nil: null });

  it('is never later than the expiry of the key that creates it', () => {
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

  it('is never later than the expiry of the key that rotates it', () => {
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

describe('size of a key item', () => {
  it('is below 1 KB, and within one read unit (4 KB) with the largest restriction', async () => {
    const world = memoryWorld();
    const { context, key } = await world.account();
    const sizeOf = async (raw: string) =>
      JSON.stringify(await world.store.get(world.keys.apiKey(digestOf(raw)))).length;
    expect(await sizeOf(key.key)).toBeLessThan(1024);
    const check_ids = Array.from({ length: 50 }, (_, n) => `chk_${String(n).padStart(26, '0')}`);
    await world.store.putMany(check_ids.map((id) => world.keys.check(context.tenant, id)));
    const restricted = await issue(context, NewKey.parse({ label: '🙂'.repeat(200), scopes: ['push'], check_ids }));
    expect(await sizeOf(restricted.key)).toBeLessThan(4096);
  });
});
