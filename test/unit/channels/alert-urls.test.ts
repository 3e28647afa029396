import { expect, it } from 'vitest';
import { urlsOf } from '#lib/channels/alert.ts';
import { alertWorld } from '#test/support/alert-world.ts';

const { check, entity } = await alertWorld();
const public_url = 'https://status.example.com';

it('returns the URL of the check if the service has a public address', () => {
  expect(urlsOf({ check, entity, public_url })).toEqual({
    check: 'https://status.example.com/#/checks/chk_pay',
    incident: null,
    runbook: null,
    dashboard: null,
  });
  expect(urlsOf({ check, entity, public_url: '' }).check).toBeNull();
  expect(urlsOf({ check: undefined, entity, public_url }).check).toBeNull();
});

it('returns runbook and dashboard from the labels of the check, else from its entity', () => {
  const shop = {
    ...entity,
    fields: { runbook_url: 'https://wiki.test/shop', dashboard_url: 'https://graphs.test/shop' },
  };
  expect(urlsOf({ check, entity: shop, public_url })).toMatchObject({
    runbook: 'https://wiki.test/shop',
    dashboard: 'https://graphs.test/shop',
  });
  const labeled = { ...check, labels: { runbook_url: 'https://wiki.test/pay' } };
  expect(urlsOf({ check: labeled, entity: shop, public_url }).runbook).toBe('https://wiki.test/pay');
  expect(
    urlsOf({ check, entity: { ...entity, labels: { runbook_url: 'https://w.test/l' } }, public_url }).runbook,
  ).toBe('https://w.test/l');
});

it.each([
  'javascript:alert(1)',
  'see the wiki',
  'https://',
  'https://wiki.test/a b',
  7,
  `https://wiki.test/${'a'.repeat(2048)}`,
])('ignores the invalid URL %j', (runbook_url) => {
  expect(urlsOf({ check, entity: { ...entity, fields: { runbook_url } }, public_url }).runbook).toBeNull();
});
