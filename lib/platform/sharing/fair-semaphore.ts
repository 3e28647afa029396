import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '#lib/platform/ports.ts';

/**
 * Whose work it is: places are shared out by tenant, and few at once lead to one target of a tenant. Of these the
 * lowest `order` goes first (default 0), then the first to come. From `until` on (epoch ms) it is too late.
 */
export type PermitRequest = { tenant: string; target?: string | undefined; order?: number; until?: number };

export type SemaphoreOptions = {
  /** Pieces of work at once. */
  places: number;
  /** Pieces of one tenant's work at once that lead to the same target; default no bound. */
  per_target?: number;
  /** How long a piece waits for its place (ms). */
  wait_ms: number;
};

/** What `run` answers for work that found no place in time: it was not begun. */
export const NO_PERMIT = Symbol('no place');

/** What one tenant may hold while others wait, and what is kept free for those that hold less. */
export const tenantShare = (places: number): number => Math.ceil(places / 5);

/** How often waiting work is looked through for what has waited too long. */
const LOOK_MS = 250;
/** What was due may come late for so long after a tenant was held back; so many such tenants are remembered. */
const [HELD_BACK_MS, MOST_HELD_BACK] = [60_000, 1000];

/** Work to one target of a tenant, in its order. */
type Line = { target: string | undefined; running: number; waiting: Waiting[] };
/** `waiting`: how many wait in its lines. */
type Tenant = { id: string; running: number; lines: Map<string | undefined, Line>; waiting: number };
/** What waits in a line: the rest of one call's items, of which each takes a place of its own. */
type Waiting = { order: number; until: number; left: number; beginOne: () => void; giveUp: () => void };

/**
 * Shares places out among tenants, so that none holds up the work of another. A tenant may hold every place that no
 * other wants. As soon as others wait, they are served in turn, those that hold less than a fifth first. A fifth more
 * places are only for those, so that they need not wait for the long work of others.
 */
export class FairSemaphore {
  readonly #shares: SemaphoreOptions;
  readonly #clock: Pick<Clock, 'now' | 'sleep'>;
  readonly #tenants = new Map<string, Tenant>();
  /** Tenants with waiting work, the next one to be served first. */
  readonly #turns = new Map<string, Tenant>();
  /** When each tenant held its share last, epoch ms. */
  readonly #heldBack = new Map<string, number>();
  #running = 0;
  #isLooking = false;

  constructor(shares: SemaphoreOptions, clock: Pick<Clock, 'now' | 'sleep'>) {
    this.#shares = shares;
    this.#clock = clock;
  }

  /** Does the work as soon as there is a place for it; NO_PERMIT when there was none within `wait_ms`. */
  async run<T>(claim: PermitRequest, work: () => Promise<T>): Promise<T | typeof NO_PERMIT> {
    let answer: T | typeof NO_PERMIT = NO_PERMIT;
    await this.each(claim, [work], async (only) => {
      answer = await only();
    });
    return answer;
  }

  /**
   * Does the work for each item, in their order, as soon as there is a place for it, and ends when all of it has.
   * However many wait, nothing is made for an item before it begins. Rejects when a piece of work did.
   * @param noPlace is told those for which there was no place within `wait_ms`: they are not begun
   */
  each<T>(
    claim: PermitRequest,
    items: readonly T[],
    work: (item: T) => Promise<void>,
    noPlace: (items: readonly T[]) => void = () => {},
  ): Promise<void> {
    if (items.length === 0) return Promise.resolve();
    const tenant = this.#tenant(claim.tenant);
    const { target } = claim;
    const line = setDefault(tenant.lines, target, () => ({ target, running: 0, waiting: [] }));
    return new Promise((resolve, reject) => {
      let next = 0;
      let open = items.length;
      const close = (count: number) => {
        open -= count;
        if (open === 0) resolve();
      };
      const end = () => {
        this.#end(tenant, line);
        close(1);
      };
      const fail = (error: unknown) => {
        reject(error);
        end();
      };
      // Begun by whoever frees a place, and still on behalf of its own caller.
      const beginOne = AsyncLocalStorage.bind(() => {
        this.#begin(tenant, line);
        work(items[next++]!).then(end, fail);
      });
      const giveUp = () => {
        const left = items.slice(next);
        noPlace(left);
        close(left.length);
      };
      while (next < items.length && this.#turns.size === 0 && this.#mayBegin(tenant, line)) beginOne();
      const left = items.length - next;
      if (left > 0) this.#wait(tenant, line, { ...this.#patience(claim), left, beginOne, giveUp });
    });
  }

  /** Whether a tenant held its share or more in the last minute: what of it comes late then waited for its own work. */
  wasHeldBack(tenant: string): boolean {
    return (this.#heldBack.get(tenant) ?? Number.NEGATIVE_INFINITY) >= this.#clock.now() - HELD_BACK_MS;
  }

  #tenant(id: string): Tenant {
    return setDefault(this.#tenants, id, () => ({ id, running: 0, lines: new Map(), waiting: 0 }));
  }

  #mayBegin(tenant: Tenant, line: Line): boolean {
    const { places, per_target = Number.POSITIVE_INFINITY } = this.#shares;
    const share = tenantShare(places);
    const room = tenant.running < share ? places + share : places;
    return this.#running < room && line.running < per_target;
  }

  #begin(tenant: Tenant, line: Line): void {
    this.#running++;
    tenant.running++;
    line.running++;
    if (this.#isOwnBound(tenant, line)) this.#noteHeldBack(tenant);
  }

  /** Whether more work of this tenant would wait for its own. */
  #isOwnBound(tenant: Tenant, line: Line): boolean {
    const { places, per_target = Number.POSITIVE_INFINITY } = this.#shares;
    return tenant.running >= tenantShare(places) || line.running >= per_target;
  }

  #noteHeldBack({ id }: Tenant): void {
    const now = this.#clock.now();
    this.#heldBack.set(id, now);
    if (this.#heldBack.size <= MOST_HELD_BACK) return;
    for (const [other, at] of this.#heldBack) if (at < now - HELD_BACK_MS) this.#heldBack.delete(other);
  }

  #end(tenant: Tenant, line: Line): void {
    this.#running--;
    tenant.running--;
    line.running--;
    this.#forget(tenant, line);
    this.#serve();
  }

  /** Nothing is kept of a tenant or target without work. */
  #forget(tenant: Tenant, line: Line): void {
    if (line.running === 0 && line.waiting.length === 0) tenant.lines.delete(line.target);
    if (tenant.lines.size === 0) this.#tenants.delete(tenant.id);
  }

  #patience({ order = 0, until = Number.POSITIVE_INFINITY }: PermitRequest): Pick<Waiting, 'order' | 'until'> {
    return { order, until: Math.min(this.#clock.now() + this.#shares.wait_ms, until) };
  }

  #wait(tenant: Tenant, line: Line, waiting: Waiting): void {
    const next = line.waiting.findLastIndex((one) => one.order <= waiting.order) + 1;
    line.waiting.splice(next, 0, waiting);
    tenant.waiting++;
    this.#turns.set(tenant.id, tenant);
    this.#serve();
    void this.#lookForLate();
  }

  /** Begins all that has a place now. */
  #serve(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [tenant, line] = next;
      const first = line.waiting[0]!;
      if (--first.left === 0) {
        line.waiting.shift();
        tenant.waiting--;
      }
      // The next turn of this tenant comes behind those of the others, and that of this target behind its others.
      putLast(tenant.lines, line.target, line);
      if (tenant.waiting > 0) putLast(this.#turns, tenant.id, tenant);
      else this.#turns.delete(tenant.id);
      first.beginOne();
    }
  }

  #next(): [Tenant, Line] | undefined {
    const { places } = this.#shares;
    if (this.#running >= places + tenantShare(places)) return undefined;
    let beyondShare: [Tenant, Line] | undefined;
    for (const tenant of this.#turns.values()) {
      const isBeyond = tenant.running >= tenantShare(places);
      if (isBeyond && beyondShare) continue;
      const line = this.#nextLine(tenant);
      if (!line) continue;
      if (!isBeyond) return [tenant, line];
      beyondShare = [tenant, line];
    }
    return beyondShare;
  }

  #nextLine(tenant: Tenant): Line | undefined {
    for (const line of tenant.lines.values()) if (line.waiting.length > 0 && this.#mayBegin(tenant, line)) return line;
    return undefined;
  }

  async #lookForLate(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#turns.size > 0) {
      await this.#clock.sleep(LOOK_MS);
      const now = this.#clock.now();
      for (const tenant of this.#turns.values()) this.#giveUp(tenant, now);
    }
    this.#isLooking = false;
  }

  #giveUp(tenant: Tenant, now: number): void {
    for (const line of tenant.lines.values()) {
      const givenUp = line.waiting.filter((one) => one.until <= now);
      if (givenUp.length === 0) continue;
      line.waiting = line.waiting.filter((one) => one.until > now);
      tenant.waiting -= givenUp.length;
      this.#forget(tenant, line);
      for (const one of givenUp) one.giveUp();
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
  const made = make();
  map.set(key, made);
  return made;
}
