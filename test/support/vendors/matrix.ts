import * as z from 'zod';
import { parsed, type Vendor } from './vendor.ts';

/** https://spec.matrix.org/latest/client-server-api/#mroommessage; 65,536 bytes per event. */
const MatrixMessage = z.strictObject({
  msgtype: z.enum(['m.text', 'm.notice']),
  body: z.string().min(1),
  format: z.literal('org.matrix.custom.html'),
  formatted_body: z.string(),
  'm.mentions': z.strictObject({}),
});

/**
 * Acts like a homeserver with one user in one room.
 * @param events event ids by transaction: a repeated transaction is one event
 */
export function matrix(token: string, room: string, events = new Map<string, string>()): Vendor {
  const refused = (status: number, errcode: string, error: string) => ({ status, body: { errcode, error } });
  return (request) => {
    const [, at, transaction] =
      /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/send\/m\.room\.message\/([^/]+)$/.exec(request.path) ?? [];
    if (request.method !== 'PUT' || at === undefined) return refused(404, 'M_UNRECOGNIZED', 'Unrecognized request');
    if (request.headers.authorization !== `Bearer ${token}`)
      return refused(401, 'M_UNKNOWN_TOKEN', 'Invalid access token passed.');
    if (decodeURIComponent(at) !== room) return refused(403, 'M_FORBIDDEN', 'User not in room');
    if (Buffer.byteLength(request.body) > 65_536) return refused(413, 'M_TOO_LARGE', 'event too large');
    const { wrong } = parsed(MatrixMessage, request);
    if (wrong) return refused(400, 'M_BAD_JSON', wrong.join('; '));
    const event_id = events.get(transaction!) ?? `$${events.size}`;
    events.set(transaction!, event_id);
    return { status: 200, body: { event_id } };
  };
}
