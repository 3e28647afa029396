import type { Item } from '#lib/platform/ports.ts';

/** The ways in. */
export const SIGN_IN_METHODS = ['passkey', 'oidc', 'link', 'key', 'invitation'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/**
 * A sign-in that lasts, under the digest of the token in its cookie. It carries no rights: whose it is, is read anew at
 * each request. About 500 bytes.
 */
export type SessionItem = Item & {
  v: string;
  id: string;
  tenant_id: string;
  user_id: string;
  method: SignInMethod;
  /** Digest of the key that it stands for, of method `key` alone: it then has the rights of the key. */
  key_digest?: string;
  /** That of the user when it began; under another it has ended. */
  generation: number;
  /** ISO 8601. */
  created_at: string;
  /** ISO 8601, at most an hour behind. */
  last_seen_at: string;
  /** Address of the client; empty where a host knows none. */
  last_seen_from: string;
  user_agent: string;
  /** Epoch ms at which it ends, however much it is used. */
  valid_until: number;
  expires_at: number;
};
