import type { TeamMember } from '#lib/identity/team/team.ts';
import { count, list } from './words.ts';

/** Lists the credentials of a member: `3 API keys, 1 passkey and all sessions`. @param keys number of API keys */
export const credentialsOf = (
  { passkeys, identities }: Pick<TeamMember, 'passkeys' | 'identities'>,
  keys: number,
): string =>
  list([
    ...(keys > 0 ? [count(keys, 'API key')] : []),
    ...(passkeys > 0 ? [count(passkeys, 'passkey')] : []),
    ...(identities > 0 ? [count(identities, 'linked identity', 'linked identities')] : []),
    'all sessions',
  ]);

/** Lists the sign-in methods of a member: `2 passkeys`; empty without any. */
export const signInMethodsOf = ({ passkeys, identities }: Pick<TeamMember, 'passkeys' | 'identities'>): string =>
  list([
    ...(passkeys > 0 ? [count(passkeys, 'passkey')] : []),
    ...(identities > 0 ? [count(identities, 'identity', 'identities')] : []),
  ]);
