import { Agent, request } from 'node:http';

/**
 * Agents that beat as fast as they are answered, 32 connections. Prints {answered, refused, seconds}. Arguments: base
 * URL, key, seconds, ids of push checks separated by commas.
 */
const [url = '', key = '', seconds = '5', ids = ''] = process.argv.slice(2);
const checks = ids.split(',');
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const headers = { authorization: `Bearer ${key}` };
const began = Date.now();
const until = began + Number(seconds) * 1000;
let answered = 0;
let refused = 0;

const beat = (id: string) =>
  new Promise<number>((resolve, reject) => {
    const options = { method: 'POST', agent, headers };
    request(`${url}/v1/checks/${id}/heartbeat`, options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
    })
      .on('error', reject)
      .end();
  });

await Promise.all(
  Array.from({ length: 32 }, async (_, i) => {
    for (let n = i; Date.now() < until; n += 32) {
      if ((await beat(checks[n % checks.length]!)) === 201) answered++;
      else refused++;
    }
  }),
);
process.stdout.write(JSON.stringify({ answered, refused, seconds: (Date.now() - began) / 1000 }));
process.exit(0);
