import { digestOf } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import { findOneTime, type OneTime, oneTime } from '#lib/identity/one-time.ts';
import { commit } from '#lib/platform/table/retry.ts';
import { CHALLENGE_MS } from './options.ts';
import type { ClientData } from './responses.ts';
import { type Ceremony, refused } from './validate-response.ts';

/** Who adds a passkey with it; nobody: it is to sign in. A challenge stands under its digest. */
type Content = { user_id?: string };

/** Draws a challenge: 32 bytes, in base64url. @param userId who adds a passkey; nobody is known who signs in */
export async function createChallenge(
  { ports, keys }: Pick<Context, 'ports' | 'keys'>,
  userId?: string,
): Promise<string> {
  const challenge = Buffer.from(digestOf(ports.ids.secret()), 'hex').toString('base64url');
  const content: Content = userId === undefined ? {} : { user_id: userId };
  await commit(ports, [
    { put: oneTime(ports, keys.challenge(digestOf(challenge)), CHALLENGE_MS, content), if: 'absent' },
  ]);
  return challenge;
}

/** The challenge that an authenticator answers, as long as it is good. Throws what `refused` says of any other. */
export async function requireChallenge(
  { ports, keys }: Pick<Context, 'ports' | 'keys'>,
  ceremony: Ceremony,
  { challenge }: ClientData,
  userId?: string,
): Promise<OneTime> {
  const found = await findOneTime<Content>(ports, keys.challenge(digestOf(challenge)));
  if (!found || found.user_id !== userId) throw refused(ceremony, 'challenge');
  return found;
}
