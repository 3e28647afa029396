/**
 * Returns the bytes of a base64url text (RFC 4648, section 5) without padding; undefined unless the bytes encode back
 * to the same text. Node ignores unused bits and invalid characters, so several texts would pass for one token.
 */
export function canonicalBytes(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
