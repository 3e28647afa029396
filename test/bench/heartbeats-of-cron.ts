import { connect } from 'node:net';

/**
 * Heartbeats as curl sends them from a crontab: each opens a connection of its own and closes it when it is answered,
 * 32 at a time, as fast as they are answered. Bare sockets, so that the client costs little beside the service. Prints
 * {answered, refused, seconds}. Arguments: base URL, key, seconds, ids of push checks separated by commas.
 */
const [url = '', key = '', seconds = '5', ids = ''] = process.argv.slice(2);
const { hostname, port, host } = new URL(url);
const requests = ids.split(',').map((id) => {
  const lines = [`POST /v1/checks/${id}/heartbeat HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${key}`];
  return `${[...lines, 'User-Agent: curl/8.5.0', 'Accept: */*'].join('\r\n')}\r\n\r\n`;
});
const began = Date.now();
const until = began + Number(seconds) * 1000;
let answered = 0;
let refused = 0;

const beat = (request: string) =>
  new Promise<boolean>((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', reject);
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(answer.toString('latin1', 0, 13) === 'HTTP/1.1 201 ');
    });
    socket.on('end', () => reject(new Error('A connection was closed without an answer.')));
    socket.write(request);
  });

await Promise.all(
  Array.from({ length: 32 }, async (_, i) => {
    for (let n = i; Date.now() < until; n += 32) {
      if (await beat(requests[n % requests.length]!)) answered++;
      else refused++;
    }
  }),
);
process.stdout.write(JSON.stringify({ answered, refused, seconds: (Date.now() - began) / 1000 }));
process.exit(0);
