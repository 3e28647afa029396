import { notFound } from '#lib/platform/errors.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/retry.ts';
import type { ApiKeyPointer } from './api-key.ts';
import type { Context, Scope } from './context.ts';

/** The pointer of a key that the caller may see: a member's own, anyone's for an admin. Throws NOT_FOUND. */
export async function requireKey(
  { ports, keys, tenant, caller }: Scope & { caller: Pick<Context['caller'], 'role' | 'user_id'> },
  id: string,
): Promise<ApiKeyPointer> {
  const pointer = await ports.table.get<ApiKeyPointer>(keys.apiKeyPointer(tenant, id));
  if (!pointer || (caller.role !== 'admin' && pointer.user_id !== caller.user_id)) throw notFound(`API key ${id}`);
  return pointer;
}

/** From its return on, no request with this key is let in. */
export async function deleteKey({ ports, keys, tenant }: Scope, pointer: ApiKeyPointer): Promise<void> {
  await untilDone(ports, async () => {
    const outcome = await commit(ports, [
      { delete: keys.apiKey(pointer.digest) },
      { delete: keys.apiKeyPointer(tenant, pointer.sk) },
    ]);
    return outcome.ok ? true : AGAIN;
  });
}
