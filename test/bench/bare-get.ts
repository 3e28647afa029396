import { Agent, get } from 'node:http';

/**
 * Baseline: sends plain GETs of node:http on new connections, 16 at a time, as fast as possible for some seconds, and
 * ignores the responses. Prints {requests, cpu_s}. Arguments: URL, seconds.
 */
const [url = '', seconds = '5'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: false });
const until = Date.now() + Number(seconds) * 1000;
const before = process.cpuUsage();
let requests = 0;

const one = () =>
  new Promise<void>((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.on('end', resolve);
    }).on('error', reject);
  });

await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (Date.now() < until) {
      await one();
      requests++;
    }
  }),
);
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ requests, cpu_s: (user + system) / 1e6 }));
