import { Agent, get } from 'node:http';

/**
 * The baseline: as many plain GETs of node:http on new connections as possible in some seconds, 16 in flight, whose
 * responses are ignored. Prints {requests, cpu_s}. Arguments: URL, seconds.
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
