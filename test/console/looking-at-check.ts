import { newTenant } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';
import type { WebhookReceiver } from '#test/support/webhook-receiver.ts';
import type { browserAndService } from './browser-and-service.ts';
import { alertedCheck } from './check-fleet.ts';
import { personAt } from './places.ts';

/** Returns a function that opens the page of a new push check that is down, with a notified channel. */
export function lookingAtCheck(world: ReturnType<typeof browserAndService>, receiver: () => WebhookReceiver) {
  let paths = 0;
  return async ({ readOnly = false } = {}) => {
    receiver().behave({ status: 200 });
    const admin = await newTenant();
    const path = `/channel-${++paths}`;
    const check = await alertedCheck(admin, receiver(), path);
    const key = readOnly
      ? got(await admin.post('/v1/auth/keys', { label: 'look', is_read_only: true }), 201).key
      : admin.key;
    const person = await personAt(world.browser, world.url, key, `/checks/${check.id}`);
    await person.page.getByRole('heading', { level: 1, name: 'checkout' }).waitFor();
    const cards = person.page.locator('.alert-card');
    await cards.first().waitFor();
    return { ...person, admin, check, path, cards };
  };
}
