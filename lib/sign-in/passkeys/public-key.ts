import { createPublicKey, type JsonWebKey } from 'node:crypto';

/** A COSE_Key (RFC 9053, section 7; RFC 8230 for RSA), decoded. */
type CoseKey = ReadonlyMap<number, unknown>;

/** In bits: shorter ones can be broken (NIST SP 800-131A), longer ones are slow to verify with, each time. */
const RSA = { shortest: 2048, longest: 4096 };

/**
 * Whether it is a whole key of one of our algorithms: one that is not would be taken now, and let nobody in later.
 * Pure.
 */
export function isUsableKey(cose: CoseKey): boolean {
  const jwk = jwkOf(cose);
  if (!jwk) return false;
  try {
    const { modulusLength } = createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyDetails ?? {};
    return modulusLength === undefined || (modulusLength >= RSA.shortest && modulusLength <= RSA.longest);
  } catch {
    return false;
  }
}

const [ALGORITHM, FIRST, SECOND, THIRD] = [3, -1, -2, -3];
const ED25519 = 6;
const P256 = 1;

/** Undefined for a kind that is not ours. */
function jwkOf(cose: CoseKey): JsonWebKey | undefined {
  const [first, second, third] = [FIRST, SECOND, THIRD].map((label) => cose.get(label));
  switch (cose.get(ALGORITHM)) {
    case -8:
      return first === ED25519 ? { kty: 'OKP', crv: 'Ed25519', x: base64url(second) } : undefined;
    case -7:
      return first === P256 ? { kty: 'EC', crv: 'P-256', x: base64url(second), y: base64url(third) } : undefined;
    case -257:
      return { kty: 'RSA', n: base64url(first), e: base64url(second) };
    default:
      return undefined;
  }
}

const base64url = (bytes: unknown): string =>
  bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64url') : '';
