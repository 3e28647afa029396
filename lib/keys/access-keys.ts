import { key, ofTenant } from './build.ts';

/** Keys of accounts, of who belongs to them, and of what proves who calls. */
export const accessKeys = {
  accounts: 'ACCOUNTS',
  accountPointer: (tenant: string) => key('ACCOUNTS', tenant),
  accountEmail: (digest: string) => key(`EMAIL#${digest}`, 'EMAIL'),
  account: (tenant: string) => key(ofTenant(tenant), 'ACCOUNT'),
  /** What is left of an account's rate in a class, where processes share it. */
  rate: (tenant: string, of: string) => key(ofTenant(tenant), `RATE#${of}`),
  users: (tenant: string) => ofTenant(tenant, 'USERS'),
  user: (tenant: string, user: string) => key(ofTenant(tenant, 'USERS'), user),
  team: (tenant: string) => key(ofTenant(tenant), 'TEAM'),
  invitation: (digest: string) => key(`INVITE#${digest}`, 'INVITE'),
  /** @param digest of the folded e-mail address */
  invitedEmails: (digest: string) => `INVITED#${digest}`,
  invitedEmail: (digest: string, tenant: string, user: string) => key(`INVITED#${digest}`, `${tenant}#${user}`),
  apiKeys: (tenant: string) => ofTenant(tenant, 'KEYS'),
  apiKeyPointer: (tenant: string, id: string) => key(ofTenant(tenant, 'KEYS'), id),
  apiKey: (digest: string) => key(`KEY#${digest}`, 'KEY'),

  // sign-in: sessions, and what proves who signs in; a digest stands for each secret
  session: (digest: string) => key(`SESSION#${digest}`, 'SESSION'),
  sessions: (tenant: string, user: string) => ofTenant(tenant, 'SESSIONS', user),
  sessionPointer: (tenant: string, user: string, id: string) => key(ofTenant(tenant, 'SESSIONS', user), id),
  passkey: (digest: string) => key(`PASSKEY#${digest}`, 'PASSKEY'),
  /** @param digest of issuer and subject */
  identities: (digest: string) => `IDENTITY#${digest}`,
  identity: (digest: string, tenant: string, user: string) => key(`IDENTITY#${digest}`, `${tenant}#${user}`),
  challenge: (digest: string) => key(`CHALLENGE#${digest}`, 'CHALLENGE'),
  oidcRequest: (digest: string) => key(`OIDC#${digest}`, 'OIDC'),
  signInLink: (digest: string) => key(`LINK#${digest}`, 'LINK'),
};
