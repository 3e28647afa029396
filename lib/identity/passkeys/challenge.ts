import { digestOf } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import { findOneTime, type OneTime, oneTime } from '#lib/identity/one-time.ts';
import { commit } from '#lib/platform/table/retry.ts';
import { CHALLENGE_MS } from './options.ts';
import type { ClientData } from './responses.ts';
import { type Ceremony, rejectionError } from './validate-response.ts';

/** Content of a challenge, stored under its digest. `user_id`: user who adds a passkey; absent for a sign-in. */
type Content = { user_id?: string };

/** Creates a challenge: 32 bytes, in base64url. @param userId user who adds a passkey; undefined for a sign-in */
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

/**
 * Finds the challenge of an authenticator response. Throws `rejectionError` unless it is valid for the user.
 * @param userId user who adds a passkey; undefined for a sign-in
 */
export async function requireChallenge(
  { ports, keys }: Pick<Context, 'ports' | 'keys'>,
  ceremony: Ceremony,
  { challenge }: ClientData,
  userId?: string,
): Promise<OneTime> {
  const found = await findOneTime<Content>(ports, keys.challenge(digestOf(challenge)));
  if (!found || found.user_id !== userId) throw rejectionError(ceremony, 'challenge');
  return found;
}
