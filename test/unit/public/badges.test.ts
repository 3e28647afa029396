import { expect, it } from 'vitest';
import { MAX_BADGES } from '#lib/public/badges/badge.ts';
import { createBadge, deleteBadge } from '#lib/public/badges/change-badge.ts';
import { healthWorld } from '#test/support/health-world.ts';

it('allows 500 badges per account, and another one after a deletion', async () => {
  const { context, pushCheck } = await healthWorld();
  const { id: check_id } = await pushCheck();
  const first = await createBadge(context, { check_id });
  for (let i = 1; i < MAX_BADGES; i++) await createBadge(context, { check_id });
  const message = 'The account has 500 badges, the maximum. Delete one.';
  await expect(createBadge(context, { check_id })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', message });
  await deleteBadge(context, first.id);
  await createBadge(context, { check_id });
});
