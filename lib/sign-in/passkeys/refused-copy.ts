import type { Context } from '#lib/access/context.ts';
import { noteAs } from '#lib/audit/write.ts';
import { auditedPasskey, type PasskeyItem } from '#lib/identity/passkeys/passkey.ts';
import { commit } from '#lib/platform/table/retry.ts';

/** Notes that a passkey was refused as its counter went back: two have its key, so that one of them is a copy. */
export async function noteRefusedCopy({ ports, keys, origin }: Context, passkey: PasskeyItem): Promise<void> {
  const { tenant_id: tenant, user_id, id: passkey_id } = passkey;
  ports.log.warn('the counter of a passkey went back', { tenant_id: tenant, user_id, passkey_id });
  const actor = { type: 'system' as const, user_id: null, email: null, key_id: null, key_label: null };
  const { request_id, ip, user_agent } = origin;
  const author = { actor, via: 'console' as const, tool: null, request_id, ip, user_agent };
  const note = noteAs({ ports, keys, tenant }, author, 'refuse', auditedPasskey);
  await commit(ports, note(passkey, passkey, { counter: 'went back' }));
}
