import { Agent, request } from 'node:http';
import { AT_ONCE, beatOn } from './beat-on.ts';

/** Keeps connections open, as agents on servers do. */
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

await beatOn((url, key, ids) => {
  const options = { method: 'POST', agent, headers: { authorization: `Bearer ${key}` } };
  return ids.map(
    (id) => () =>
      new Promise<boolean>((resolve, reject) => {
        request(`${url}/v1/checks/${id}/heartbeat`, options, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode === 201));
        })
          .on('error', reject)
          .end();
      }),
  );
});
