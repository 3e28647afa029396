import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { newEntity } from '#test/abuse/client.ts';

const CONNECTIONS = 100;
const ENTITIES = 300;
const TEXT = 'x'.repeat(14_000);
const PAUSE_MS = 5000;
const PATIENCE_MS = 90_000;

/**
 * Connections that request lists of 4 MB and do not read them.
 * @param listsOf returns how many lists the connection with this index requests at once. The system buffers hold about
 * one list.
 */
export const slowReaders =
  (listsOf: (index: number) => number): Attack =>
  async ({ admin, stack }) => {
    const fields = [{ name: 'text', field_type: 'string' }];
    await admin.need('POST', '/v1/blueprints', { slug: 'service', name: 'Service', fields });
    for (let n = 0; n < ENTITIES; n++) await newEntity(admin, `large-${n}`, { text: TEXT });
    const { key } = await admin.need('POST', '/v1/auth/keys', { label: 'Reader', is_read_only: true });
    const { hostname, port } = new URL(admin.url);
    const head = `GET /v1/blueprints/service/entities HTTP/1.1\r\nHost: fleetwatch\r\nAuthorization: Bearer ${key}\r\n\r\n`;

    const readers: Reader[] = [];
    stack.defer(() => {
      for (const { socket } of readers) socket.destroy();
    });
    return {
      run: async (until) => {
        // Building the lists takes time too, so the requests are spread over the first half of the attack.
        const each = (until - Date.now()) / 2 / CONNECTIONS;
        for (let n = 0; n < CONNECTIONS; n++) {
          readers.push(open(Number(port), hostname, head, listsOf(n)));
          await pause(each);
        }
        await pause(until - Date.now());
      },
      conclude: async () => {
        const ends = new Tally();
        // A socket that is not read does not report that it was closed, so all are read, one after the other.
        const deadline = Date.now() + PATIENCE_MS;
        const blocking = readers.filter(({ lists }) => lists > 1);
        for (const reader of blocking) {
          const end = await endOf(reader);
          ends.add(end);
          // The service closes a connection only after the client has not read for some time.
          if (end === 'no more data' && Date.now() < deadline) await pause(PAUSE_MS);
        }
        const ended = ends.of('closed') + ends.of('rejected');
        return {
          evidence: [`connections with more than one request ended: ${ends}`],
          facts: [
            { holds: readers.some(({ status }) => status !== ''), fact: 'the attack took place' },
            {
              holds: ended > 0 && ends.total - ended <= PATIENCE_MS / PAUSE_MS,
              fact: 'a connection whose client does not read is closed or rejected',
            },
          ],
        };
      },
    };
  };

type Reader = { socket: Socket; lists: number; status: string; isOver: boolean; bytes: number };

/** Opens a connection, requests lists, and reads only the beginning of the first response. */
function open(port: number, host: string, request: string, lists: number): Reader {
  const socket = connect({ host, port, localAddress: HOSTILE }, () => socket.write(request.repeat(lists)));
  const reader: Reader = { socket, lists, status: '', isOver: false, bytes: 0 };
  socket.once('data', (chunk) => {
    reader.status = /^HTTP\/1.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? 'no status';
    socket.pause();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    reader.isOver = true;
  });
  return reader;
}

/** Continues to read for up to 3 s. @returns `rejected`, `closed` by the service, `complete`, or `no more data` */
async function endOf(reader: Reader): Promise<string> {
  const { socket, lists, status } = reader;
  if (status === '429' || status === '503') return 'rejected';
  socket.on('data', (chunk) => {
    reader.bytes += chunk.length;
  });
  socket.resume();
  const whole = lists * ENTITIES * TEXT.length * 0.9;
  for (let waited = 0; waited < 3000 && !reader.isOver && reader.bytes < whole; waited += 50) await pause(50);
  return reader.bytes >= whole ? 'complete' : reader.isOver ? 'closed' : 'no more data';
}
