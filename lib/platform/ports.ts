/** Where an item stands. Both parts ASCII; pk at most 2,048 bytes, sk at most 1,024 (DynamoDB). */
export type Key = { pk: string; sk: string };

/**
 * One item of the table: JSON values only, at most 400 KB.
 * `v` is its version, a fresh `ids.token()` stamped by the writer at each write, so that an item made anew never
 * passes for the old one. `expires_at` is in epoch seconds; the table may keep an expired item for days.
 */
export type Item = Key & { v?: string; expires_at?: number };

/** What must hold of the present item for a write to take place. */
type Condition = 'absent' | { version: string };

export type Write = { put: Item; if?: Condition } | { delete: Key; if?: Condition } | { check: Key; if: Condition };

/**
 * `failed` holds the indexes of the writes whose condition did not hold, `present[i]` the item that stands where write
 * `i` failed (own key under `absent`, or own fresh version: already done). `conflict` says that another transaction
 * was in the way: nothing is known, try again.
 */
export type WriteOutcome =
  | { ok: true }
  | { ok: false; failed: number[]; present: (Item | undefined)[]; conflict: boolean };

/** How fresh a read is. */
export type Freshness = {
  /** A read that may be a second old, at half the price. */
  eventual?: boolean | undefined;
};

export type Query = Freshness & {
  partition: string;
  /** Inclusive lower bound of the sort key. All that begin so: `under` (lib/keys.ts). */
  from?: string | undefined;
  /** Inclusive upper bound of the sort key. */
  to?: string | undefined;
  descending?: boolean | undefined;
  limit?: number | undefined;
  /** Go on behind this sort key: the `next` of the page before. */
  after?: string | undefined;
};

/** `next` is there whenever more may follow; a page ends at `limit` or 1 MB. */
export type Page<T extends Item = Item> = { items: T[]; next?: string | undefined };

/**
 * The one table. Tiny, without expressions; every read is strong unless asked otherwise.
 * All methods throw `AppError('UNAVAILABLE')` when the store cannot serve (throttled, disk full, time-out): whether a
 * write took place is then unknown.
 */
export interface Table {
  get<T extends Item = Item>(key: Key): Promise<T | undefined>;
  /** Up to any number of keys (fetched by hundreds); the answer is in the order asked, with repeats allowed. */
  getMany<T extends Item = Item>(keys: Key[], how?: Freshness): Promise<(T | undefined)[]>;
  /** Items of several types: `getMany<[CheckItem, PolicyItem]>([…])`. */
  getMany<T extends Item[]>(
    keys: { [I in keyof T]: Key },
    how?: Freshness,
  ): Promise<{ [I in keyof T]: T[I] | undefined }>;
  query<T extends Item = Item>(query: Query): Promise<Page<T>>;
  /** Unconditional: only for items whose content follows from their key. */
  putMany(items: Item[]): Promise<void>;
  /**
   * All or nothing: 1 to 100 writes, 4 MB, no key twice. A single write is a plain conditional put, at half the price.
   */
  transact(writes: Write[]): Promise<WriteOutcome>;
}

/**
 * `not_before` is in epoch ms, at most 15 minutes ahead. `body` is JSON. `group` is the tenant whose work it is, absent
 * where tenants share a message: a queue that cannot keep up serves the groups in turn (SQS fair queues).
 */
export type Message<Body = unknown> = { body: Body; not_before?: number; group?: string };

/** What may be sent to each queue, by its name. */
export type Bodies = Record<string, unknown>;

/** At least once, in no order. Throws `AppError('UNAVAILABLE')`; some of the messages may then have been sent. */
export interface Queues<Of extends Bodies = Bodies> {
  send<Name extends keyof Of & string>(queue: Name, messages: Message<Of[Name]>[]): Promise<void>;
}

export type BusEvent = { detail_type: string; detail: unknown };
/** For the operator's own rules; nothing of ours depends on it. */
export interface Bus {
  publish(events: BusEvent[]): Promise<void>;
}

export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** For retries inside one call only; anything longer than a second is a delayed message. */
  sleep(ms: number): Promise<void>;
  /**
   * Ms for which this process itself has stood still so far, as far as a call of the net was under way meanwhile. Two
   * readings tell what a probe between them has met.
   */
  stalled(): number;
}

export interface Ids {
  /** A new opaque id, sortable by time: `res_01j…`. */
  id(prefix: string): string;
  /** A fresh version token. */
  token(): string;
  /** 0 ≤ x < 1, for jitter. */
  random(): number;
  /** New secret of 256 bits in base62. */
  secret(): string;
  /** New UUID of version 4, in lower case: 122 random bits. */
  uuid(): string;
  /** New secret of 128 bits: 22 characters of base64url. */
  shortSecret(): string;
}

export type LogFields = Record<string, unknown>;
/** Structured log. Fields carry ids (tenant_id, check_id, slot, transition_id), never a secret. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Metrics for the operator; no log level turns them off. */
export interface Metrics {
  /** One more of `name`, in the words of the metric: `FailedDeliveries`. */
  count(name: string): void;
}
