import { Agent, request } from 'node:http';
import { AT_ONCE, beatOn } from './beat-on.ts';

/** Keeps connections open, as clients of frequent jobs do. */
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

await beatOn((url, _key, paths) =>
  paths.map(
    (path) => () =>
      new Promise<boolean>((resolve, reject) => {
        request(url + path, { agent }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode === 200));
        })
          .on('error', reject)
          .end();
      }),
  ),
);
