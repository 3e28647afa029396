import { expect, it } from 'vitest';
import { oidcCookie, oidcSecret } from '#lib/identity/oidc/request.ts';

const SECURE = new URL('https://status.example.com');
const PLAIN = new URL('http://localhost:8787');

it('uses a cookie name that other hosts cannot set over https, and that contains the port over http', () => {
  expect(oidcCookie(SECURE, 's3cret', 600)).toBe(
    '__Host-fleetwatch_oidc=s3cret; Path=/; HttpOnly; SameSite=Lax; Max-Age=600; Secure',
  );
  expect(oidcCookie(PLAIN, 's3cret', 600)).toBe(
    'fleetwatch_oidc_8787=s3cret; Path=/; HttpOnly; SameSite=Lax; Max-Age=600',
  );
  expect(oidcCookie(new URL('http://fleetwatch'), '', 0)).toMatch(/^fleetwatch_oidc_80=; .*Max-Age=0/);
});

it('reads the cookie of that name, unless two cookies have it', () => {
  const cookies = [
    '__Host-fleetwatch_oidc=a',
    'fleetwatch_oidc_8787=b',
    'fleetwatch_oidc_87=c',
    'x_fleetwatch_oidc_8787=d',
  ];
  expect(oidcSecret(cookies, SECURE)).toBe('a');
  expect(oidcSecret(cookies, PLAIN)).toBe('b');
  expect(oidcSecret(['fleetwatch_oidc_87=c'], PLAIN)).toBeUndefined();
  expect(oidcSecret(['fleetwatch_oidc_8787=b', 'fleetwatch_oidc_8787=planted'], PLAIN)).toBeUndefined();
});
