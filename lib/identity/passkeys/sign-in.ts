import { type AccountItem, accountDisabled, isDisabled, type UserItem } from '#lib/access/account.ts';
import { digestOf } from '#lib/access/api-key.ts';
import type { Context } from '#lib/access/context.ts';
import { auditWriterFor } from '#lib/audit/write.ts';
import { useOnce } from '#lib/identity/one-time.ts';
import { beginSession, signIn } from '#lib/identity/sessions/begin-session.ts';
import type { Sent } from '#lib/identity/sessions/same-origin.ts';
import type { SessionRecord } from '#lib/identity/sessions/session.ts';
import type { Reply } from '#lib/platform/http/route.ts';
import { commit } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { createChallenge, requireChallenge } from './challenge.ts';
import { type RequestOptions, requestOptions, userHandleOf } from './options.ts';
import { auditedPasskey, type PasskeyItem } from './passkey.ts';
import { type AuthenticationResponse, clientDataOf } from './responses.ts';
import { counterDidNotIncrease, rejectionError, relyingPartyOf } from './validate-response.ts';
import { verifyAuthentication } from './verify.ts';

/** Records a passkey whose counter did not increase: its key may have been copied. */
async function logClonedPasskey({ ports, keys, origin }: Context, passkey: PasskeyItem): Promise<void> {
  const { tenant_id: tenant, user_id, id: passkey_id } = passkey;
  ports.log.warn('passkey rejected, its counter did not increase', { tenant_id: tenant, user_id, passkey_id });
  const actor = { type: 'system' as const, user_id: null, email: null, key_id: null, key_label: null };
  const { request_id, ip, user_agent } = origin;
  const author = { actor, via: 'console' as const, tool: null, request_id, ip, user_agent };
  const auditWrites = auditWriterFor({ ports, keys, tenant }, author, 'refuse', auditedPasskey);
  await commit(ports, auditWrites(passkey, passkey, { counter: 'did not increase' }));
}

/** Returns the WebAuthn options that a browser needs for a sign-in. Throws FORBIDDEN if passkeys do not work here. */
export async function signInOptions(context: Context, headers: Sent['headers']): Promise<RequestOptions> {
  const { rp_id } = relyingPartyOf(headers, context.ports.settings);
  return requestOptions(await createChallenge(context), rp_id);
}

/**
 * Starts a session. One transaction writes it, uses up the challenge and writes the passkey at the version read: a
 * passkey removed meanwhile is rejected, as is the second of two responses with the same counter, unless it is 0.
 * Throws UNAUTHORIZED, FORBIDDEN, ACCOUNT_DISABLED, VALIDATION_ERROR.
 */
export function signInByPasskey(
  context: Context,
  response: AuthenticationResponse,
  sent: Sent,
): Promise<Reply<SessionRecord>> {
  const { ports, keys } = context;
  return signIn(context, async () => {
    const relyingParty = relyingPartyOf(sent.headers, ports.settings);
    const client = clientDataOf(response.response.clientDataJSON);
    if (!client) throw rejectionError('webauthn.get', 'garbled');
    const [challenge, passkey] = await Promise.all([
      requireChallenge(context, 'webauthn.get', client),
      ports.table.get<PasskeyItem>(keys.passkey(digestOf(response.id))),
    ]);
    if (passkey?.rp_id !== relyingParty.rp_id || response.response.userHandle !== userHandleOf(passkey.user_id)) {
      throw rejectionError('webauthn.get', 'unknown');
    }
    const { counter, synced } = await verifyAuthentication(response, client, relyingParty, passkey);
    if (counterDidNotIncrease(passkey.counter, counter)) {
      await logClonedPasskey(context, passkey);
      throw rejectionError('webauthn.get', 'counter');
    }

    const [user, account] = await ports.table.getMany<[UserItem, AccountItem]>([
      keys.user(passkey.tenant_id, passkey.user_id),
      keys.account(passkey.tenant_id),
    ]);
    if (!user || !account) throw rejectionError('webauthn.get', 'unknown');
    if (isDisabled(account)) throw accountDisabled();
    const begun = await beginSession(context, 'passkey', { user, account }, sent);
    const used: PasskeyItem = {
      ...passkey,
      v: ports.ids.token(),
      counter,
      synced,
      last_used_at: iso(ports.clock.now()),
    };
    return { begun, uses: [useOnce(challenge), { put: used, if: { version: passkey.v } }] };
  });
}
