import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { parseCheck } from '#lib/checks/model.ts';
import { probeHttp } from '#lib/checks/probes/http.ts';
import { makeNet } from '#lib/platform/net/node-net.ts';
import { readSettings } from '#lib/platform/settings.ts';

/**
 * What assertions cost: the CPU of a probe with five of them on a JSON body of 2 KB by that of a plain one, and the
 * longest turn of the event loop that the worst bodies and assertions take which the limits let in. Prints figures. The
 * target is this file in a process of its own.
 */
const MB = 1024 * 1024;
const PROBES = 2_000;
const AT_ONCE = 16;
const ROUNDS = 3;

/** Two letters in an order in which nothing comes again, so that no automaton is of use. */
function shuffled(one: string, other: string, count: number): string {
  let state = 12_345;
  const letters = Array.from({ length: count }, () => {
    // Marsaglia's xorshift of 32 bits.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 1 ? one : other;
  });
  return letters.join('');
}

const upTo = (part: string, end: string): string => part.repeat(Math.floor((MB - end.length) / part.length)) + end;
let key = 0;

/** What the target answers, by its path. */
const bodies: Record<string, () => string> = {
  usual: () =>
    JSON.stringify({
      status: 'ok',
      db: { status: 'ok', lag_ms: 12, version: '16.2' },
      items: Array.from({ length: 20 }, (_, id) => ({
        id,
        name: `item number ${id}`,
        price: id * 1.5,
        tags: ['a', 'b'],
      })),
      note: 'x'.repeat(600),
    }),
  one_letter: () => 'a'.repeat(MB),
  two_letters: () => shuffled('a', 'b', MB),
  two_greek_letters: () => shuffled('α', 'β', MB / 2),
  one_text: () => `{"a":"${'a'.repeat(MB - 9)}"}`,
  one_text_of_pairs: () => `{"a":"${'😀'.repeat(MB / 4 - 3)}"}`,
  numbers: () => `[${upTo('1,', '1]')}`.slice(0, MB),
  objects: () => `[${upTo('{},', '{}]').slice(0, MB - 5)}`,
  levels: () => '['.repeat(MB / 2) + ']'.repeat(MB / 2),
  escapes: () => `{"a":"${'\\u00e9'.repeat((MB - 9) / 6)}"}`,
  names: () => {
    const parts: string[] = [];
    for (let size = 2; ; ) {
      const part = `"${(key++).toString(36)}":1`;
      size += part.length + 1;
      if (size > MB) return `{${parts.join()}}`;
      parts.push(part);
    }
  },
  different_objects: () => {
    const parts: string[] = [];
    for (let size = 2; ; ) {
      const part = `{"${(key++).toString(36)}":1}`;
      size += part.length + 1;
      if (size > MB) return `[${parts.join()}]`;
      parts.push(part);
    }
  },
};

const twenty = (assertion: object): object[] => Array.from({ length: 20 }, () => assertion);
const json = (property: string, operator: string, value?: unknown) => ({ source: 'json', property, operator, value });
const WORST_TEXTS = [`b${'a'.repeat(4_000)}`, `${'a'.repeat(4_000)}b`];

/** Lists of assertions, each made for some of the bodies. */
const worst: Record<string, { on: string[]; assertions: object[] }> = {
  paths: { on: Object.keys(bodies), assertions: twenty(json('$', 'not_equals', 1)) },
  lengths: {
    on: ['one_text', 'one_text_of_pairs', 'escapes', 'names'],
    assertions: twenty(json('$.a.length', 'at_least', 1)),
  },
  ...Object.fromEntries(
    WORST_TEXTS.flatMap((value, i) => [
      [`body_contains_${i}`, { on: ['one_letter'], assertions: [{ source: 'body', operator: 'not_contains', value }] }],
      [`json_contains_${i}`, { on: ['one_text'], assertions: [json('$.a', 'not_contains', value)] }],
    ]),
  ),
  short_texts: { on: ['one_letter'], assertions: twenty({ source: 'body', operator: 'not_contains', value: 'aab' }) },
  expressions: {
    on: ['two_letters', 'two_greek_letters'],
    assertions: [
      '(?i)[aceg][^x]{70}\\d',
      '(?i)[aä]\\PN{74}$',
      'a[ab]{74}\\d',
      '(?i)α\\pL{74}$',
      '(?i)[αaä][^\\pN\\pP]{74}$',
      '([ab]*a){8}[ab]{20}$',
      '(?i)(a?){12}(a|b|aa){4}\\d',
      '(.*a){5}\\d|(x+x+)+y|[a-z]{20}\\d',
    ].map((value) => ({ source: 'body', operator: 'not_matches', value })),
  },
};

if (process.argv[2] === 'target') {
  const made = new Map<string, Buffer>();
  const server = createServer((socket) =>
    socket
      .on('error', () => {})
      .once('data', (request) => {
        const name = /^GET \/(\w+)/.exec(`${request}`)![1]!;
        const body = made.get(name) ?? Buffer.from(bodies[name]!());
        made.set(name, body);
        socket.end(
          Buffer.concat([
            Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`),
            body,
          ]),
        );
      }),
  );
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit());
} else {
  const targets = fork(import.meta.filename, ['target']);
  const [port] = await once(targets, 'message');
  const figures = await measure(`http://127.0.0.1:${port}`);
  targets.disconnect();
  process.stdout.write(JSON.stringify(figures));
  process.exit();
}

async function measure(url: string): Promise<Record<string, number>> {
  const settings = readSettings({ CHECK_EGRESS: 'any' });
  const net = makeNet(settings);
  const prober = (body: string, assertions: object[]) => {
    const wanted = { entity_id: 'ent_0', check_type: 'http', target_url: `${url}/${body}` };
    const check = parseCheck(
      { ...wanted, ...(assertions.length > 0 && { config: { assertions } }) },
      { minInterval: 1, now: 0 },
    );
    return () => probeHttp(check as never, { net, settings, timeout_ms: 30_000, now: Date.now() });
  };
  const five = [
    { source: 'status_code', operator: 'one_of', value: ['2xx', 304] },
    { source: 'body', operator: 'not_contains', value: 'error' },
    json('$.db.status', 'equals', 'ok'),
    json('$.items.length', 'at_least', 10),
    { source: 'latency_ms', operator: 'less_than', value: 10_000, severity: 'warn' },
  ];
  const plain = await cpuOf(prober('usual', []));
  const asserted = await cpuOf(prober('usual', five));
  let longest = 0;
  for (const [name, { on, assertions }] of Object.entries(worst)) {
    for (const body of on) {
      const turn = await longestTurn(prober(body, assertions));
      if (turn > longest / 2) process.stderr.write(`  ${turn.toFixed(1)} ms of CPU: ${name} on ${body}\n`);
      longest = Math.max(longest, turn);
    }
  }
  return {
    probe_with_five_assertions_by_a_plain_one: asserted / plain,
    worst_assertions_longest_turn_cpu_ms: longest,
  };
}

/** CPU of a probe, s: the best of some rounds. */
async function cpuOf(probe: () => Promise<{ success: boolean; error_message: string }>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    let left = PROBES;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left-- > 0) {
          const { success, error_message } = await probe();
          if (!success) throw new Error(`A probe failed: ${error_message}`);
        }
      }),
    );
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6 / PROBES);
  }
  return best;
}

/** The longest turn of the event loop while a probe is under way, ms of CPU of this thread: the best of some rounds. */
async function longestTurn(probe: () => Promise<unknown>): Promise<number> {
  const cpuNow = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    let longest = 0;
    let last = cpuNow();
    let isOver = false;
    const look = () => {
      const now = cpuNow();
      longest = Math.max(longest, now - last);
      last = now;
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    await probe();
    isOver = true;
    await new Promise((done) => setImmediate(done));
    best = Math.min(best, longest);
  }
  return best;
}
