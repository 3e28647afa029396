import type { TeamMember } from '#lib/identity/team/team.ts';
import { count, list } from './words.ts';

/** What goes with somebody who is removed: `3 API keys, 1 passkey and all sessions`. @param keys how many they have */
export const goesWith = ({ passkeys, identities }: Pick<TeamMember, 'passkeys' | 'identities'>, keys: number): string =>
  list([
    ...(keys > 0 ? [count(keys, 'API key')] : []),
    ...(passkeys > 0 ? [count(passkeys, 'passkey')] : []),
    ...(identities > 0 ? [count(identities, 'linked identity', 'linked identities')] : []),
    'all sessions',
  ]);

/** How somebody can sign in by themselves: `2 passkeys`; empty where it takes a link or a key. */
export const meansOf = ({ passkeys, identities }: Pick<TeamMember, 'passkeys' | 'identities'>): string =>
  list([
    ...(passkeys > 0 ? [count(passkeys, 'passkey')] : []),
    ...(identities > 0 ? [count(identities, 'identity', 'identities')] : []),
  ]);
