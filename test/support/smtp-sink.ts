import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A mail as received. `text`: its source, without soft line breaks. */
export type SunkMail = { to: string[]; text: string };

/** A mail server without TLS that accepts every mail and stores it in `mails`. `await using` ends it. */
export type SmtpSink = AsyncDisposable & { url: string; mails: SunkMail[] };

/** Starts the server. @param port 0 for a free one */
export async function startSmtpSink(host: string, port = 0): Promise<SmtpSink> {
  const mails: SunkMail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    serve(socket, mails);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: `smtp://${host}:${(server.address() as AddressInfo).port}`,
    mails,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Serves one connection (RFC 5321): commands, and lines of a mail after DATA. */
function serve(socket: Socket, mails: SunkMail[]): void {
  const say = (line: string) => socket.write(`${line}\r\n`);
  let to: string[] = [];
  let data: string[] | undefined;
  createInterface({ input: socket }).on('line', (line) => {
    if (data) {
      if (line !== '.') return void data.push(line.replace(/^\.\./, '.'));
      const text = data.join('\n').replace(/=\n/g, '').replace(/=3D/g, '=').replace(/ \n/g, ' ');
      mails.push({ to, text });
      [to, data] = [[], undefined];
      return void say('250 OK');
    }
    const [, recipient] = /^RCPT TO:<([^>]*)>/i.exec(line) ?? [];
    if (recipient !== undefined) to.push(recipient);
    if (/^DATA$/i.test(line)) {
      data = [];
      return void say('354 Go on');
    }
    say(/^QUIT/i.test(line) ? '221 Bye' : '250 OK');
  });
  say('220 sink');
}
