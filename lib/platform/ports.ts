/** Key of an item. ASCII; pk at most 2,048 bytes, sk at most 1,024 (DynamoDB). */
export type Key = { pk: string; sk: string };

/**
 * Table item: JSON values only, at most 400 KB. `v`: version, a new `ids.token()` at each write, so that a recreated
 * item never passes for the deleted one. `expires_at`: epoch seconds; the table may keep expired items for days.
 */
export type Item = Key & { v?: string; expires_at?: number };

type Condition = 'absent' | { version: string };

export type Write = { put: Item; if?: Condition } | { delete: Key; if?: Condition } | { check: Key; if: Condition };

/**
 * `failed`: indexes of the writes whose condition was not met. `present[i]`: the stored item if `writes[i]` failed. If
 * it has the version of that write, an earlier attempt has succeeded. `conflict`: another transaction interfered; it is
 * unknown which conditions are met, so retry.
 */
export type WriteOutcome =
  | { ok: true }
  | { ok: false; failed: number[]; present: (Item | undefined)[]; conflict: boolean };

export type Freshness = {
  /** Whether a result up to a second old suffices, at half the price. */
  eventual?: boolean | undefined;
};

export type Query = Freshness & {
  partition: string;
  /** Inclusive lower bound of the sort key. For a prefix, see `under` (lib/keys.ts). */
  from?: string | undefined;
  to?: string | undefined;
  descending?: boolean | undefined;
  limit?: number | undefined;
  /** Continue after this sort key: the `next` of the previous page. */
  after?: string | undefined;
};

/** `next` is set if more items may follow; a page ends at `limit` or 1 MB. */
export type Page<T extends Item = Item> = { items: T[]; next?: string | undefined };

/**
 * The only table, without expressions. Reads are strongly consistent unless `eventual` is set. Methods throw
 * UNAVAILABLE if the store fails (throttled, disk full, timeout): it is then unknown whether a write was committed.
 */
export interface Table {
  get<T extends Item = Item>(key: Key): Promise<T | undefined>;
  /** Reads any number of keys, 100 at a time. Returns the items in the order of the keys; duplicates are allowed. */
  getMany<T extends Item = Item>(keys: Key[], how?: Freshness): Promise<(T | undefined)[]>;
  /** Items of several types: `getMany<[CheckItem, PolicyItem]>([…])`. */
  getMany<T extends Item[]>(
    keys: { [I in keyof T]: Key },
    how?: Freshness,
  ): Promise<{ [I in keyof T]: T[I] | undefined }>;
  query<T extends Item = Item>(query: Query): Promise<Page<T>>;
  /** Unconditional; only for items whose content is determined by their key. */
  putMany(items: Item[]): Promise<void>;
  /** All or nothing: 1 to 100 writes, 4 MB, distinct keys. A single write costs half the price. */
  transact(writes: Write[]): Promise<WriteOutcome>;
}

/** `not_before`: epoch ms, at most 15 minutes ahead. `group`: tenant, served in turn (SQS fair queues). */
export type Message<Body = unknown> = { body: Body; not_before?: number; group?: string };

/** Message body by queue name. */
export type Bodies = Record<string, unknown>;

/** Delivers at least once, unordered. Throws `AppError('UNAVAILABLE')`; some messages can have been sent. */
export interface Queues<Of extends Bodies = Bodies> {
  send<Name extends keyof Of & string>(queue: Name, messages: Message<Of[Name]>[]): Promise<void>;
}

export type BusEvent = { detail_type: string; detail: unknown };
/** Events for the operator's own rules; the service does not depend on them. */
export interface Bus {
  publish(events: BusEvent[]): Promise<void>;
}

/** A published file. `type`: its media type. */
export type PublicFile = { bytes: Uint8Array; type: string };

/**
 * Files that visitors read without a key, by path without a leading slash: `status/acme/index.html`. Only the publisher
 * writes them. All methods throw `AppError('UNAVAILABLE')` if the storage fails, at most five seconds later.
 */
export interface Files {
  /** Replaces a file: a reader sees the old or the new one. */
  put(path: string, file: PublicFile): Promise<void>;
  get(path: string): Promise<PublicFile | undefined>;
  /** Removes files; missing ones are ignored. */
  remove(paths: readonly string[]): Promise<void>;
}

export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** For waits of at most a few seconds within a call; use a delayed message for longer ones. */
  sleep(ms: number): Promise<void>;
  /** Total ms of event loop stalls during network requests. The difference of two values is the stall of a probe. */
  stalled(): number;
}

export interface Ids {
  /** Creates an opaque id that sorts by time: `res_01j…`. */
  id(prefix: string): string;
  token(): string;
  /** Returns a number of at least 0 and less than 1, for jitter. */
  random(): number;
  /** Creates a secret of 256 bits in base62. */
  secret(): string;
  /** Creates a UUID of version 4 in lower case: 122 random bits. */
  uuid(): string;
  /** Creates a secret of 128 bits: 22 characters of base64url. */
  shortSecret(): string;
}

export type LogFields = Record<string, unknown>;
/** Structured log. Fields contain ids (tenant_id, check_id, slot, transition_id), never a secret. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Metrics for the operator, independent of the log level. */
export interface Metrics {
  count(name: string): void;
  /** Counts outcomes of frequent work. Only on one machine: CloudWatch would charge for each. */
  tally?(of: Tallied, outcome: string): void;
}
export type Tallied = 'probes' | 'deliveries' | 'requests';
