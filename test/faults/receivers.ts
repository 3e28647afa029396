import { createHmac } from 'node:crypto';
import type { Publish } from '#lib/alerting/notify/send.ts';
import type { HttpReply, HttpRequest } from '#lib/net/net.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import { type Does, type Manners, refused } from './manners.ts';
import type { Observations } from './observations.ts';
import type { Profile } from './profile.ts';
import { currentRun } from './run-context.ts';

type World = { random: Random; clock: VirtualClock; seen: Observations; manners: Manners; profile: () => Profile };

/** The secret of every webhook with a secret. */
export const WEBHOOK_SECRET = 'letmesign';

/** Status of a receiver by its behavior; 0: no response. Discord returns 204 instead of 200. */
const STATUS: Record<Does, number> = { well: 200, drags: 200, fails: 503, throttles: 429, refuses: 0, hangs: 0 };

/**
 * Creates the receivers of alerts: Slack, Discord, webhook and ntfy over HTTP, by the path of their URL, and NATS.
 */
export function receivers({ random, clock, seen, manners, profile }: World) {
  const illMs = (): number => (profile().quiet ? 20_000 : 60_000);

  function doesNow(host: string): Does {
    return manners.doesNow(host, { wellMs: 400_000, illMs: illMs(), ills: [...manners.ILLS, 'throttles'] });
  }

  function note(type: string, headers: Record<string, string>, body: string, status: number): void {
    const { says, count } = contentOf(type, headers, body);
    const [delivery_id, kind] = [headers['X-Service-Delivery'] ?? '', headers['X-Service-Kind'] ?? ''];
    seen.received.push({ delivery_id, kind, type, says, count, at: clock.now(), status, run: currentRun() });
  }

  /** Returns Retry-After in seconds, as a date, or not at all. */
  function retryAfter(): Record<string, string> {
    if (random.chance(0.3)) return {};
    const seconds = random.int(1, 3);
    return { 'retry-after': random.chance(0.5) ? `${seconds}` : new Date(clock.now() + seconds * 1000).toUTCString() };
  }

  async function post({
    url,
    headers = {},
    body = '',
    timeout_ms,
  }: HttpRequest): Promise<Omit<HttpReply, 'latency_ms'>> {
    const down = manners.networkOutageNow(['network']);
    if (down) return manners.silence(down, timeout_ms);
    const { hostname, pathname } = new URL(url);
    const type = pathname.slice(1);
    const does = doesNow(hostname);
    const status = does === 'well' && type === 'discord' ? 204 : STATUS[does];
    // A hanging receiver has read the request.
    if (does !== 'refuses') note(type, headers, body, status);
    await manners.think();
    if (does === 'refuses') throw refused();
    if (does === 'hangs') return manners.hang(timeout_ms);
    return { status, headers: does === 'throttles' ? retryAfter() : {}, body: '' };
  }

  /** Publishes to the NATS server of the operator, which can be down, slow to confirm, or reject the subject. */
  const publish: Publish = async (_subject, body, headers) => {
    const does = manners.doesNow('nats', { wellMs: 400_000, illMs: illMs() });
    if (does === 'well' || does === 'hangs') note('nats', headers, body, STATUS[does]);
    await manners.think();
    if (does === 'hangs') await manners.sleep(5000);
    if (does === 'fails') throw new Error('the NATS server does not allow this subject');
    if (does !== 'well')
      throw new Error('the NATS server of this service could not be reached or did not respond in time');
  };

  return { post, publish };
}

/**
 * `says`: up, degraded, down, closed, test, update or combined; `garbled` if it does not have the format of its type.
 */
type Content = { says: string; count: number };

/** Returns the content of a message for a reader, and the number of its alerts. */
function contentOf(type: string, headers: Record<string, string>, body: string): Content {
  try {
    const content = type === 'ntfy' ? undefined : JSON.parse(body);
    const titles: Record<string, () => string> = {
      ntfy: () => headers.title ?? '',
      slack: () => (content.blocks.length > 0 ? content.text : ''),
      discord: () => content.embeds[0].title,
    };
    const title = titles[type]?.();
    const count = Number(title === undefined ? content.alerts?.length : /^(?::\w+: )?(\d+) alerts: /.exec(title)?.[1]);
    if (count > 0) return { says: 'combined', count };
    return { says: title === undefined ? contentOfEvent(headers, body) : contentOfTitle(title), count: 1 };
  } catch {
    return { says: 'garbled', count: 0 };
  }
}

/** Returns the content of a JSON event for programs. */
function contentOfEvent(headers: Record<string, string>, body: string): string {
  const content = JSON.parse(body);
  const signature = headers['X-Service-Signature'];
  const signed = `sha256=${createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')}`;
  if (signature !== undefined && signature !== signed) return 'garbled';
  if (headers['X-Service-Kind'] === 'test') return 'test';
  if (headers['X-Service-Kind'] === 'status_update') return content.kind === 'status_update' ? 'update' : 'garbled';
  return content.check_to_state === 'unknown' ? 'closed' : content.check_to_state;
}

function contentOfTitle(title: string): string {
  const headline = title.replace(/(, and \d+ (more|others? fails? with it)|; cause: .+)$/, '');
  if (/^(?::\w+: )?Test alert for /.test(headline)) return 'test';
  if (/ was (deleted|disabled)( while down| while degraded)?$/.test(headline)) return 'closed';
  if (/ is up( again after .+)?$/.test(headline)) return 'up';
  if (/ (is degraded|is no longer down but degraded, after .+|has been degraded for .+)$/.test(headline))
    return 'degraded';
  const [, acknowledged] = / is (down|degraded), and acknowledged$/.exec(headline) ?? [];
  if (acknowledged) return acknowledged;
  const [, unhealed] = / is still (down|degraded): .+ did not help$/.exec(headline) ?? [];
  if (unhealed) return unhealed;
  return / (is down|is still down after .+|has been down (again )?for .+)$/.test(headline) ? 'down' : 'garbled';
}
