/**
 * What of our packed forms a client takes, the smaller first; undefined where it takes neither. Whether it names one
 * counts, not how much it likes it (RFC 9110, 12.5.3).
 */
export function encodingFor(acceptEncoding = ''): 'br' | 'gzip' | undefined {
  const parts = acceptEncoding.toLowerCase().split(',');
  const taken = parts.filter((part) => !REFUSED.test(part)).map((part) => part.split(';', 1)[0]!.trim());
  return (['br', 'gzip'] as const).find((form) => taken.includes(form));
}

const REFUSED = /;\s*q=0(?:\.0*)?\s*$/;
