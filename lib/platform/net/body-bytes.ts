import { AppError } from '#lib/platform/errors.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';

/**
 * The body of a request, read now if it was not yet. Throws PAYLOAD_TOO_LARGE over `most` bytes, and what
 * `event.readBody` throws.
 */
export async function bodyBytes(event: ApiEvent, most: number): Promise<Buffer> {
  const bytes = event.readBody ? await event.readBody(most) : given(event);
  if (bytes && bytes.length <= most) return bytes;
  throw new AppError('PAYLOAD_TOO_LARGE', `The body has more than ${most} bytes.`);
}

/** The first `most` bytes of the body of a request; the rest is never read. Throws what `event.readBody` does. */
export async function firstBytes(event: ApiEvent, most: number): Promise<Buffer> {
  const bytes = event.readBody ? await event.readBody(most, 'cut') : given(event);
  return (bytes ?? Buffer.alloc(0)).subarray(0, most);
}

const given = ({ body, isBase64Encoded }: ApiEvent): Buffer =>
  Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
