import { PassThrough } from 'node:stream';
import { type Connection, type Handshake, type LookUpReply, NetError, type OpenRequest } from '#lib/net/net.ts';
import { type ProbeSeen, stalledBetween } from '#test/oracle/inside.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import { type Does, type Manners, refused } from './manners.ts';
import type { Observations } from './observations.ts';
import { currentRun } from './run-context.ts';

type World = {
  random: Random;
  clock: VirtualClock;
  seen: Observations;
  manners: Manners;
  onProbe: () => void;
};

const DAY_MS = 86_400_000;
/** How long they are well, and ill. */
export const HEALTH = { wellMs: 240_000, illMs: 90_000 };
/** How long a host takes that drags (ms); longer than its caller waits, and it hangs. */
const DRAGS_MS = [1_500, 4_900] as const;
/** The record that every dns check wants; whoever wants another one gets a wrong answer. */
export const RECORD = '192.0.2.7';
/** How often our own resolver answers out of its memory, whatever its network does. */
const REMEMBERED = 0.3;

/** What a target gives, by what it does, after so many ms; an error is thrown. */
type Answers<T> = Record<'well' | 'fails' | 'refuses', (took: number) => T | NetError>;

/**
 * The hosts that checks probe: http, tcp, tls and dns.
 * @param world `onProbe` hears of each request that is out
 */
export function targets({ random, clock, seen, manners, onProbe }: World) {
  async function give<T>(does: Does, drag: number, timeout: number, answers: Answers<T>): Promise<T> {
    const begun = clock.now();
    await (does === 'drags' ? manners.sleep(drag) : manners.think());
    if (does === 'hangs') return manners.hang(timeout);
    const answer = answers[does === 'throttles' ? 'fails' : does === 'drags' ? 'well' : does](clock.now() - begun);
    if (answer instanceof NetError) throw answer;
    return answer;
  }

  async function probe<T>(
    who: { process: number; host: string; own_resolver?: boolean },
    timeout: number,
    answers: Answers<T>,
  ): Promise<T> {
    const { process, host, own_resolver = false } = who;
    const isRemembered = own_resolver && random.chance(REMEMBERED);
    const down = isRemembered ? undefined : manners.outside(['network', 'targets']);
    const manner = manners.doesNow(host, { ...HEALTH, ills: [...manners.ILLS, 'drags'] });
    const drag = manner === 'drags' ? random.int(...DRAGS_MS) : 0;
    const does = drag >= timeout ? 'hangs' : manner;
    const at = clock.now();
    const success = !down && (does === 'well' || does === 'drags');
    const one: ProbeSeen = {
      process,
      run: currentRun(),
      host,
      at,
      timeout_ms: timeout,
      success,
      isUnanswered: false,
      own_resolver,
    };
    seen.probes.push(one);
    onProbe();
    try {
      const answer = await (down ? manners.silence(down, timeout) : give(does, drag, timeout, answers));
      // It has come; but whoever stood still until the deadline was over finds that out first.
      if (clock.now() > at + timeout && stalledBetween(seen, at, clock.now()) > 0)
        throw new NetError('timeout', `no answer within ${timeout} ms`);
      return answer;
    } catch (error) {
      const failure = error as NetError;
      // The deadline covers all of it, and comes late only by as long as we stood still.
      failure.latency_ms = Math.min(clock.now() - at, timeout + stalledBetween(seen, at, clock.now()));
      one.isUnanswered = !failure.answered;
      one.interrupted = failure.interrupted;
      throw failure;
    } finally {
      one.ended_at = clock.now();
    }
  }

  const noRoute = () => new NetError('connect', 'no route to host');
  const noName = () => new NetError('dns', 'no such name', { answered: true });
  const noServer = () => new NetError('dns', 'the DNS server failed to answer');
  const noHandshake = () => new NetError('tls', 'it closed the connection', { answered: true });

  function certificate(days: number): Handshake {
    const valid_to = clock.now() + days * DAY_MS;
    const problem = days < 0 ? 'the certificate has expired' : '';
    return {
      valid_from: valid_to - 365 * DAY_MS,
      valid_to,
      version: 'TLSv1.3',
      issuer: '',
      fingerprint_sha256: '',
      problem,
      protocol: '',
    };
  }

  /** On which nobody says anything. */
  const connection = (where: string, took: number, handshake?: Handshake): Connection => ({
    where,
    stream: new PassThrough(),
    handshake,
    elapsed: () => took,
    waitFor: () => {},
    secure: async () => handshake ?? certificate(90),
  });

  return {
    http: (process: number, host: string, timeout: number): Promise<number> =>
      probe({ process, host }, timeout, { well: () => 200, fails: () => 503, refuses: refused }),
    open: (process: number, { host, timeout_ms, tls }: OpenRequest): Promise<Connection> =>
      probe({ process, host }, timeout_ms, {
        well: (took) => connection(host, took, tls && certificate(90)),
        fails: (took) => {
          if (!tls) return noRoute();
          return random.chance(0.5) ? connection(host, took, certificate(-1)) : noHandshake();
        },
        refuses: refused,
      }),
    /** @param resolver undefined: our own */
    resolve: (process: number, hostname: string, resolver: string | undefined, timeout: number): Promise<LookUpReply> =>
      probe({ process, host: resolver ?? hostname, own_resolver: resolver === undefined }, timeout, {
        well: (latency_ms) => ({ values: ['192.0.2.8', RECORD], latency_ms }),
        fails: () => (random.chance(0.5) ? { values: ['203.0.113.9'], latency_ms: 20 } : noServer()),
        refuses: noName,
      }),
  };
}
