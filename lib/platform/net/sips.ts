import type { Socket } from 'node:net';

/** What a parser is given at a time. */
const SIP_BYTES = 2 * 1024;

/**
 * Hands over what arrives on a socket in small parts, and nothing more once the socket is destroyed. A parser makes
 * an object of every chunk in the up to 64 KB that it is given; so it stops where its user does.
 * @param onSip hears before each part how many bytes have come so far with it
 */
export function inSips(socket: Socket, onSip: (bytes: number) => void): void {
  const push = socket.push;
  let taken = 0;
  socket.push = (arrived: Buffer | null): boolean => {
    if (arrived === null) return push.call(socket, null);
    let wantsMore = false;
    for (let from = 0; from < arrived.length && !socket.destroyed; from += SIP_BYTES) {
      const sip = arrived.length <= SIP_BYTES ? arrived : arrived.subarray(from, from + SIP_BYTES);
      taken += sip.length;
      onSip(taken);
      if (!socket.destroyed) wantsMore = push.call(socket, sip);
    }
    return wantsMore;
  };
}
