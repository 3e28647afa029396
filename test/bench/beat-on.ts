/** Number of concurrent heartbeats, and maximum number of connections. */
export const AT_ONCE = 32;

/**
 * Sends heartbeats as fast as possible, as the client of a benchmark, and prints {accepted, refused, seconds}.
 * Arguments of the process: base URL, key, seconds, and ids or ping paths of push checks, separated by commas.
 * @param beatsOf returns a function per check, which sends a heartbeat and returns whether it was accepted
 */
export async function beatOn(
  beatsOf: (url: string, key: string, ids: string[]) => (() => Promise<boolean>)[],
): Promise<void> {
  const [url = '', key = '', seconds = '5', ids = ''] = process.argv.slice(2);
  const beats = beatsOf(url, key, ids.split(','));
  const began = Date.now();
  const until = began + Number(seconds) * 1000;
  let accepted = 0;
  let refused = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, i) => {
      for (let n = i; Date.now() < until; n += AT_ONCE) {
        if (await beats[n % beats.length]!()) accepted++;
        else refused++;
      }
    }),
  );
  process.stdout.write(JSON.stringify({ accepted, refused, seconds: (Date.now() - began) / 1000 }));
  process.exit(0);
}
