import { AppError } from '#lib/platform/errors.ts';
import type { ApiEvent } from '#lib/platform/http/api-event.ts';

/**
 * The body of a request, read now if it was not yet. Throws PAYLOAD_TOO_LARGE over `most` bytes, and what
 * `event.readBody` throws.
 */
export async function bodyBytes(event: ApiEvent, most: number): Promise<Buffer> {
  const bytes = event.readBody
    ? await event.readBody(most)
    : Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes && bytes.length <= most) return bytes;
  throw new AppError('PAYLOAD_TOO_LARGE', `The body has more than ${most} bytes.`);
}
