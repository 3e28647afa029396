import { PassThrough } from 'node:stream';
import { type Connection, type DnsReply, type Handshake, NetError, type OpenRequest } from '#lib/net/net.ts';
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
/** Average times for which targets are healthy and unhealthy (ms). */
export const HEALTH = { wellMs: 240_000, illMs: 90_000 };
/**
 * Minimum and maximum response time of a dragging host (ms). If it reaches the timeout of the caller, the host hangs.
 */
const DRAGS_MS = [1_500, 4_900] as const;
/** Record that every dns check expects; a failing host returns another one. */
export const RECORD = '192.0.2.7';
/** Share of lookups that the service's own resolver answers from its cache. */
const CACHED = 0.3;

/** Response of a target for each behavior, after `took` ms. A returned error is thrown. */
type Answers<T> = Record<'well' | 'fails' | 'refuses', (took: number) => T | NetError>;

/**
 * Creates the targets of checks: http, tcp, tls and dns.
 * @param world `onProbe` is called when a request starts
 */
export function targets({ random, clock, seen, manners, onProbe }: World) {
  async function respond<T>(does: Does, drag: number, timeout: number, responses: Answers<T>): Promise<T> {
    const begun = clock.now();
    await (does === 'drags' ? manners.sleep(drag) : manners.think());
    if (does === 'hangs') return manners.hang(timeout);
    const response = responses[does === 'throttles' ? 'fails' : does === 'drags' ? 'well' : does](clock.now() - begun);
    if (response instanceof NetError) throw response;
    return response;
  }

  async function probe<T>(
    origin: { process: number; host: string; service_resolver?: boolean },
    timeout: number,
    responses: Answers<T>,
  ): Promise<T> {
    const { process, host, service_resolver = false } = origin;
    const isCached = service_resolver && random.chance(CACHED);
    const down = isCached ? undefined : manners.networkOutageNow(['network', 'targets']);
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
      service_resolver,
    };
    seen.probes.push(one);
    onProbe();
    try {
      const response = await (down ? manners.silence(down, timeout) : respond(does, drag, timeout, responses));
      // Worst case: the response arrived, but the process stalled past the deadline and detects the deadline first.
      if (clock.now() > at + timeout && stalledBetween(seen, at, clock.now()) > 0)
        throw new NetError('timeout', `no response within ${timeout} ms`);
      return response;
    } catch (error) {
      const failure = error as NetError;
      // The deadline covers the whole request. Only stalls delay it.
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

  /** Returns a connection on which nothing is sent. */
  const connection = (where: string, took: number, handshake?: Handshake): Connection => ({
    where,
    stream: new PassThrough(),
    handshake,
    elapsed: () => took,
    setAwaited: () => {},
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
    /** @param resolver undefined for a DNS check without its own resolver, which uses the one of the service */
    resolve: (process: number, hostname: string, resolver: string | undefined, timeout: number): Promise<DnsReply> =>
      probe({ process, host: resolver ?? hostname, service_resolver: resolver === undefined }, timeout, {
        well: (latency_ms) => ({ values: ['192.0.2.8', RECORD], latency_ms }),
        fails: () => (random.chance(0.5) ? { values: ['203.0.113.9'], latency_ms: 20 } : noServer()),
        refuses: noName,
      }),
  };
}
