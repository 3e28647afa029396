import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { KeyAndCertificate } from './certificates.ts';
import { rawTarget, type Target } from './socket-target.ts';

type Dialogue = {
  greeting?: string;
  /** What is answered to each line; a line that is not among them is not answered. */
  answers: Record<string, string>;
  /** After the answer to this line comes TLS. */
  tlsAfter?: string;
  certificate?: KeyAndCertificate;
};

/** A server that greets, answers lines, and goes over to TLS, in which it greets and answers as before. */
export const dialogueTarget = (dialogue: Dialogue): Promise<Target & { heard: string[] }> => {
  const heard: string[] = [];
  return rawTarget((socket) => talk(socket, dialogue, heard)).then((target) => ({ ...target, heard }));
};

function talk(socket: Socket, dialogue: Dialogue, heard: string[]): void {
  const { greeting, answers, tlsAfter, certificate } = dialogue;
  if (greeting !== undefined) socket.write(greeting, 'latin1');
  let text = '';
  const hear = (piece: Buffer) => {
    text += piece.toString('latin1');
    // PostgreSQL asks in eight bytes, all others in lines.
    for (let asked = next(text); asked !== undefined; asked = next(text)) {
      text = text.slice(asked.length);
      heard.push(asked);
      const line = asked.trimEnd();
      if (line === tlsAfter) {
        socket.off('data', hear);
        socket.write(answers[line]!, 'latin1');
        const secured = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
        secured.on('error', () => {});
        talk(secured, { answers, ...(greeting !== undefined && { greeting: 'within TLS\r\n' }) }, heard);
        return;
      }
      if (answers[line] !== undefined) socket.write(answers[line], 'latin1');
    }
  };
  socket.on('data', hear);
}

const next = (text: string): string | undefined => /^(?:\0[\s\S]{7}|[^\0\n][^\n]*\n)/.exec(text)?.[0];
