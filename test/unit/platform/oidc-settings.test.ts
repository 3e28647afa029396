import { describe, expect, it } from 'vitest';
import { readHostSettings } from '#infra/local/settings.ts';

const SET = { OIDC_ISSUER: 'https://login.example.com/realms/ops', OIDC_CLIENT_ID: 'fleetwatch' };
const reading = (more: Record<string, string>) => () => readHostSettings({ ...SET, ...more }).settings;

describe('identity provider settings', () => {
  it.each([
    ['OIDC_ISSUER', 'http://login.example.com', 'must start with https://'],
    ['OIDC_ISSUER', 'http://10.0.0.5', 'must start with https://'],
    ['OIDC_ISSUER', 'http://localhost.example.com', 'must start with https://'],
    ['OIDC_ISSUER', 'http://127.0.0.1.example.com', 'must start with https://'],
    ['OIDC_ISSUER', 'login.example.com', 'must be the address of a provider'],
    ['OIDC_ISSUER', 'ftp://login.example.com', 'must be the address of a provider'],
    ['OIDC_ISSUER', 'https://', 'must be the address of a provider'],
    ['OIDC_ISSUER', 'https://user:secret@login.example.com', 'must not contain user:password@'],
    ['OIDC_ISSUER', 'https://login.example.com/?realm=ops', 'must not contain ? or #'],
    ['OIDC_ISSUER', 'https://login.example.com/#ops', 'must not contain ? or #'],
    ['OIDC_ISSUER', 'https://a.example/.well-known/openid-configuration', 'must end before /.well-known/'],
    ['OIDC_CLIENT_ID', '', 'is missing'],
    ['OIDC_CLIENT_ID', 'a\nb', 'must be on one line'],
    ['OIDC_CLIENT_SECRET', 'a\nb', 'must be on one line'],
    ['OIDC_SCOPES', 'email profile', 'must include openid'],
    ['OIDC_SCOPES', 'openid "email"', 'must be scopes'],
    ['OIDC_TRUST_EMAIL', 'yes', 'true'],
  ])('reject %s=%j in one sentence', (name, value, why) => {
    expect(reading({ [name]: value })).toThrow(new RegExp(`^Settings are wrong\\. ${name}: [^\n]*${escaped(why)}`));
  });

  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

  it.each([{ OIDC_CLIENT_ID: 'fleetwatch' }, { OIDC_CLIENT_SECRET: 'secret' }])(
    'refuse %o without an issuer',
    (alone) => {
      expect(() => readHostSettings(alone)).toThrow(`${Object.keys(alone)[0]}: has no effect without OIDC_ISSUER`);
    },
  );

  it('suggest the setting for a name with a typing mistake', () => {
    expect(reading({ OIDC_ISUER: 'https://login.example.com' })).toThrow('did you mean OIDC_ISSUER?');
  });

  it.each([
    'https://login.example.com',
    'https://login.example.com/',
    'https://login.example.com:8443/realms/ops',
    'http://localhost:8080/realms/ops',
    'http://127.0.0.1:5556/dex',
    'http://[::1]:5556',
  ])('accept the issuer %s unchanged', (OIDC_ISSUER) => {
    expect(reading({ OIDC_ISSUER })().OIDC_ISSUER).toBe(OIDC_ISSUER);
  });

  it('default to openid, email and profile, verified addresses only, and no secret', () => {
    expect(reading({})()).toMatchObject({
      OIDC_SCOPES: 'openid email profile',
      OIDC_TRUST_EMAIL: false,
      OIDC_CLIENT_SECRET: '',
    });
    expect(reading({ OIDC_SCOPES: 'openid,email groups' })().OIDC_SCOPES).toBe('openid email groups');
  });
});
