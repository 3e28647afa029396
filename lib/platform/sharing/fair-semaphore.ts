import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '#lib/platform/ports.ts';

/**
 * Request for permits, divided by tenant, with a limit per target. For the same target, a lower `order` goes first
 * (default 0), then the earlier request. Work that has not started by `until` (epoch ms) is dropped.
 */
export type PermitRequest = { tenant: string; target?: string | undefined; order?: number; until?: number };

export type SemaphoreOptions = {
  permits: number;
  /** Maximum number of concurrent permits per tenant and target. Default: no limit. */
  per_target?: number;
  wait_ms: number;
};

/** Returned by `run` if no permit became free within `wait_ms`; the work was not started. */
export const NO_PERMIT = Symbol('no permit');

/** Returns the share of a tenant: a fifth of the permits. */
export const tenantShare = (permits: number): number => Math.ceil(permits / 5);

const EXPIRY_CHECK_MS = 250;
/** Time for which a tenant counts as at its limit (ms), and number of tenants above which older entries are deleted. */
const [AT_LIMIT_MS, MAX_AT_LIMIT] = [60_000, 1000];

type Line = { target: string | undefined; running: number; waiting: Waiting[] };
type Tenant = { id: string; running: number; lines: Map<string | undefined, Line>; waiting: number };
/** Remaining items of one call; each item takes its own permit. */
type Waiting = { order: number; until: number; remaining: number; startOne: () => void; expire: () => void };

/**
 * Divides permits among tenants so that no tenant delays another. While several wait, they are served in turn, first
 * those with less than a fifth of the permits. Extra permits, a fifth of the normal number, are reserved for these, so
 * that they do not wait for long work of others. A tenant can hold all normal permits that no other tenant requests.
 */
export class FairSemaphore {
  readonly #options: SemaphoreOptions;
  readonly #clock: Pick<Clock, 'now' | 'sleep'>;
  readonly #tenants = new Map<string, Tenant>();
  /** Tenants with waiting work; the next to be served comes first. */
  readonly #turns = new Map<string, Tenant>();
  /** Time when each tenant last reached its share or the limit of a target, epoch ms. */
  readonly #atLimit = new Map<string, number>();
  #running = 0;
  #isExpiring = false;

  constructor(options: SemaphoreOptions, clock: Pick<Clock, 'now' | 'sleep'>) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Runs the work when a permit is free; returns NO_PERMIT if none was free within `wait_ms`. */
  async run<T>(request: PermitRequest, work: () => Promise<T>): Promise<T | typeof NO_PERMIT> {
    let result: T | typeof NO_PERMIT = NO_PERMIT;
    await this.each(request, [work], async (only) => {
      result = await only();
    });
    return result;
  }

  /**
   * Runs the work for each item in order as permits become free. Resolves when the work of all items has ended; rejects
   * if the work of one rejects. Allocates nothing for an item before its work starts.
   * @param onExpired receives the items that got no permit within `wait_ms`; their work was not started
   */
  each<T>(
    request: PermitRequest,
    items: readonly T[],
    work: (item: T) => Promise<void>,
    onExpired: (items: readonly T[]) => void = () => {},
  ): Promise<void> {
    if (items.length === 0) return Promise.resolve();
    const tenant = this.#tenant(request.tenant);
    const { target } = request;
    const line = setDefault(tenant.lines, target, () => ({ target, running: 0, waiting: [] }));
    return new Promise((resolve, reject) => {
      let next = 0;
      let unfinished = items.length;
      const finish = (count: number) => {
        unfinished -= count;
        if (unfinished === 0) resolve();
      };
      const release = () => {
        this.#release(tenant, line);
        finish(1);
      };
      const fail = (error: unknown) => {
        reject(error);
        release();
      };
      // A call of another tenant may free the permit and start this work; `bind` keeps the context of this caller.
      const startOne = AsyncLocalStorage.bind(() => {
        this.#start(tenant, line);
        work(items[next++]!).then(release, fail);
      });
      const expire = () => {
        const remaining = items.slice(next);
        onExpired(remaining);
        finish(remaining.length);
      };
      while (next < items.length && this.#turns.size === 0 && this.#canStart(tenant, line)) startOne();
      const remaining = items.length - next;
      if (remaining > 0) this.#wait(tenant, line, { ...this.#expiry(request), remaining, startOne, expire });
    });
  }

  /** Whether a tenant reached a limit in the last minute: its late work then counts as delayed by its other work. */
  wasAtLimit(tenant: string): boolean {
    return (this.#atLimit.get(tenant) ?? Number.NEGATIVE_INFINITY) >= this.#clock.now() - AT_LIMIT_MS;
  }

  #tenant(id: string): Tenant {
    return setDefault(this.#tenants, id, () => ({ id, running: 0, lines: new Map(), waiting: 0 }));
  }

  #canStart(tenant: Tenant, line: Line): boolean {
    const { permits, per_target = Number.POSITIVE_INFINITY } = this.#options;
    const share = tenantShare(permits);
    const room = tenant.running < share ? permits + share : permits;
    return this.#running < room && line.running < per_target;
  }

  #start(tenant: Tenant, line: Line): void {
    this.#running++;
    tenant.running++;
    line.running++;
    if (this.#isAtLimit(tenant, line)) this.#recordAtLimit(tenant);
  }

  #isAtLimit(tenant: Tenant, line: Line): boolean {
    const { permits, per_target = Number.POSITIVE_INFINITY } = this.#options;
    return tenant.running >= tenantShare(permits) || line.running >= per_target;
  }

  #recordAtLimit({ id }: Tenant): void {
    const now = this.#clock.now();
    this.#atLimit.set(id, now);
    if (this.#atLimit.size <= MAX_AT_LIMIT) return;
    for (const [other, at] of this.#atLimit) if (at < now - AT_LIMIT_MS) this.#atLimit.delete(other);
  }

  #release(tenant: Tenant, line: Line): void {
    this.#running--;
    tenant.running--;
    line.running--;
    this.#forget(tenant, line);
    this.#serve();
  }

  #forget(tenant: Tenant, line: Line): void {
    if (line.running === 0 && line.waiting.length === 0) tenant.lines.delete(line.target);
    if (tenant.lines.size === 0) this.#tenants.delete(tenant.id);
  }

  #expiry({ order = 0, until = Number.POSITIVE_INFINITY }: PermitRequest): Pick<Waiting, 'order' | 'until'> {
    return { order, until: Math.min(this.#clock.now() + this.#options.wait_ms, until) };
  }

  #wait(tenant: Tenant, line: Line, waiting: Waiting): void {
    const next = line.waiting.findLastIndex((entry) => entry.order <= waiting.order) + 1;
    line.waiting.splice(next, 0, waiting);
    tenant.waiting++;
    this.#turns.set(tenant.id, tenant);
    this.#serve();
    void this.#expireLoop();
  }

  #serve(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [tenant, line] = next;
      const first = line.waiting[0]!;
      if (--first.remaining === 0) {
        line.waiting.shift();
        tenant.waiting--;
      }
      putLast(tenant.lines, line.target, line);
      if (tenant.waiting > 0) putLast(this.#turns, tenant.id, tenant);
      else this.#turns.delete(tenant.id);
      first.startOne();
    }
  }

  #next(): [Tenant, Line] | undefined {
    const { permits } = this.#options;
    if (this.#running >= permits + tenantShare(permits)) return undefined;
    let overShare: [Tenant, Line] | undefined;
    for (const tenant of this.#turns.values()) {
      const isOverShare = tenant.running >= tenantShare(permits);
      if (isOverShare && overShare) continue;
      const line = this.#nextLine(tenant);
      if (!line) continue;
      if (!isOverShare) return [tenant, line];
      overShare = [tenant, line];
    }
    return overShare;
  }

  #nextLine(tenant: Tenant): Line | undefined {
    for (const line of tenant.lines.values()) if (line.waiting.length > 0 && this.#canStart(tenant, line)) return line;
    return undefined;
  }

  async #expireLoop(): Promise<void> {
    if (this.#isExpiring) return;
    this.#isExpiring = true;
    while (this.#turns.size > 0) {
      await this.#clock.sleep(EXPIRY_CHECK_MS);
      const now = this.#clock.now();
      for (const tenant of this.#turns.values()) this.#expire(tenant, now);
    }
    this.#isExpiring = false;
  }

  #expire(tenant: Tenant, now: number): void {
    for (const line of tenant.lines.values()) {
      const expired = line.waiting.filter((entry) => entry.until <= now);
      if (expired.length === 0) continue;
      line.waiting = line.waiting.filter((entry) => entry.until > now);
      tenant.waiting -= expired.length;
      this.#forget(tenant, line);
      for (const entry of expired) entry.expire();
    }
    if (tenant.waiting === 0) this.#turns.delete(tenant.id);
  }
}

function putLast<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (map.size === 1) return;
  map.delete(key);
  map.set(key, value);
}

function setDefault<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const created = make();
  map.set(key, created);
  return created;
}
