/** Returns the bytes of a base64url text (RFC 4648, section 5) without padding; undefined if it is not canonical. */
export function canonicalBytes(text: string): Buffer | undefined {
  // Node ignores unused bits and invalid characters, so several texts would pass for one token.
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
