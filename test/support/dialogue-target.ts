import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { KeyAndCertificate } from './certificates.ts';
import { rawTarget, type Target } from './socket-target.ts';

type Dialogue = {
  greeting?: string;
  /** Response to each line; other lines get none. */
  answers: Record<string, string>;
  /** After the response to this line, TLS starts. */
  tlsAfter?: string;
  certificate?: KeyAndCertificate;
};

/**
 * Starts a server that greets and answers lines. After `tlsAfter` it switches to TLS, greets with "within TLS" if it
 * has a greeting, and answers the same lines.
 */
export const dialogueTarget = (dialogue: Dialogue): Promise<Target & { received: string[] }> => {
  const received: string[] = [];
  return rawTarget((socket) => talk(socket, dialogue, received)).then((target) => ({ ...target, received }));
};

function talk(socket: Socket, dialogue: Dialogue, received: string[]): void {
  const { greeting, answers, tlsAfter, certificate } = dialogue;
  if (greeting !== undefined) socket.write(greeting, 'latin1');
  let text = '';
  const onData = (piece: Buffer) => {
    text += piece.toString('latin1');
    // A PostgreSQL client sends eight bytes; all other clients send lines.
    for (let request = next(text); request !== undefined; request = next(text)) {
      text = text.slice(request.length);
      received.push(request);
      const line = request.trimEnd();
      if (line === tlsAfter) {
        socket.off('data', onData);
        socket.write(answers[line]!, 'latin1');
        const secured = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
        secured.on('error', () => {});
        talk(secured, { answers, ...(greeting !== undefined && { greeting: 'within TLS\r\n' }) }, received);
        return;
      }
      if (answers[line] !== undefined) socket.write(answers[line], 'latin1');
    }
  };
  socket.on('data', onData);
}

const next = (text: string): string | undefined => /^(?:\0[\s\S]{7}|[^\0\n][^\n]*\n)/.exec(text)?.[0];
