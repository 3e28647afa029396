import type { UserItem } from '#lib/access/account.ts';
import { assertKeyDoesNotExpire, digestOf } from '#lib/access/api-key.ts';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { useOnce } from '#lib/identity/one-time.ts';
import type { Sent } from '#lib/identity/sessions/same-origin.ts';
import { AppError } from '#lib/platform/errors.ts';
import { commit, RETRY } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { createChallenge, requireChallenge } from './challenge.ts';
import { type CreationOptions, creationOptions } from './options.ts';
import { changePasskeys, passkeysOf, requireUser } from './own-passkeys.ts';
import {
  auditedPasskey,
  MAX_PASSKEYS,
  type NewPasskey,
  type PasskeyItem,
  type PasskeyRecord,
  passkeyRecord,
} from './passkey.ts';
import { clientDataOf } from './responses.ts';
import { rejectionError, relyingPartyOf } from './validate-response.ts';
import { verifyRegistration } from './verify.ts';

/** Returns the options for a new passkey. Throws FORBIDDEN if passkeys do not work here, LIMIT_EXCEEDED. */
export async function newPasskeyOptions(context: Context, headers: Sent['headers']): Promise<CreationOptions> {
  assertKeyDoesNotExpire(context.caller, 'a passkey');
  const { rp_id } = relyingPartyOf(headers, context.ports.settings);
  const user = await requireUser(context);
  assertPasskeyLimit(user);
  const known = await passkeysOf(context, user);
  return creationOptions(await createChallenge(context, user.id), rp_id, user, known);
}

/** Adds a passkey and uses up the challenge. Throws VALIDATION_ERROR, FORBIDDEN, CONFLICT, LIMIT_EXCEEDED. */
export async function addPasskey(
  context: Context,
  { name, response }: NewPasskey,
  headers: Sent['headers'],
): Promise<PasskeyRecord> {
  const { ports, keys, caller } = context;
  assertKeyDoesNotExpire(caller, 'a passkey');
  const relyingParty = relyingPartyOf(headers, ports.settings);
  const client = clientDataOf(response.response.clientDataJSON);
  if (!client) throw rejectionError('webauthn.create', 'garbled');
  const challenge = await requireChallenge(context, 'webauthn.create', client, caller.user_id);
  const registered = await verifyRegistration(response, client, relyingParty);
  const digest = digestOf(registered.credential_id);
  const passkey: PasskeyItem = {
    ...keys.passkey(digest),
    v: ports.ids.token(),
    id: ports.ids.id('psk'),
    tenant_id: context.tenant,
    user_id: caller.user_id,
    name,
    rp_id: relyingParty.rp_id,
    created_at: iso(ports.clock.now()),
    last_used_at: null,
    ...registered,
  };

  const auditWrites = auditWriter(context, 'add', auditedPasskey);
  return changePasskeys(context, async (user) => {
    assertPasskeyLimit(user);
    const listed: UserItem = {
      ...user,
      v: ports.ids.token(),
      passkeys: [...user.passkeys, { id: passkey.id, digest, name }],
    };
    const outcome = await commit(ports, [
      { put: passkey, if: 'absent' },
      { put: listed, if: { version: user.v } },
      useOnce(challenge),
      ...auditWrites(undefined, passkey),
    ]);
    if (outcome.ok) return passkeyRecord(passkey);
    const [taken, , used] = [0, 1, 2].map((write) => outcome.failed.includes(write));
    if (used) throw rejectionError('webauthn.create', 'challenge');
    if (taken) throw new AppError('CONFLICT', 'This passkey is already registered. Create a new one.');
    return RETRY;
  });
}

function assertPasskeyLimit({ passkeys }: UserItem): void {
  if (passkeys.length < MAX_PASSKEYS) return;
  throw new AppError(
    'LIMIT_EXCEEDED',
    `You already have the maximum of ${MAX_PASSKEYS} passkeys. Remove an unused one; see last_used_at.`,
  );
}
