import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, HOSTILE, Tally } from '#test/abuse/attack.ts';
import { eventually } from '#test/support/eventually.ts';

const CONNECTIONS = 150;
const HEAD = 'POST /v1/nothing HTTP/1.1\r\nHost: fleetwatch\r\nContent-Length: 41000000\r\n\r\n';
const BODY = Buffer.alloc(2_000_000, 'x');
/** Time until a closed connection is opened again. */
const AGAIN_MS = 5000;
const PATIENCE_MS = 75_000;

/** Connections without a key that each begin a large body and never end it. */
export const silentUploads: Attack = async ({ member, stack }) => {
  const { hostname, port } = new URL(member.url);
  const responses = new Tally();
  const first: { isOver: boolean }[] = [];
  const sockets = new Set<Socket>();
  let until = 0;
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
  });
  const open = (): { isOver: boolean } => {
    const connection = { isOver: false };
    let response = '';
    const socket = connect(
      { host: hostname, port: Number(port), localAddress: HOSTILE },
      () => socket.write(HEAD) && socket.write(BODY),
    );
    sockets.add(socket);
    socket.on('data', (chunk) => {
      response += chunk;
      connection.isOver = true;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      connection.isOver = true;
      responses.add(/^HTTP\/1.1 (\d+)/.exec(response)?.[1] ?? 'cut');
      setTimeout(() => Date.now() < until && open(), AGAIN_MS).unref();
    });
    return connection;
  };
  return {
    run: async (end) => {
      until = end;
      for (let n = 0; n < CONNECTIONS; n++) first.push(open());
      await pause(end - Date.now());
    },
    conclude: async () => {
      const left = () => first.filter(({ isOver }) => !isOver).length;
      await eventually(() => left() === 0, PATIENCE_MS).catch(() => {});
      return {
        evidence: [`ended connections: ${responses}; still open of the first ${CONNECTIONS}: ${left()}`],
        facts: [{ holds: left() === 0, fact: 'each connection is rejected or closed, although its body never ends' }],
      };
    },
  };
};
