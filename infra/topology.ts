import type { SecretSetting } from '#lib/aws/environment.ts';
import { ALERTS, ofTenant, TRANSITIONS } from '#lib/keys.ts';
import { LAST_RECEIVE, type QueueName } from '#lib/messages.ts';
import { namesOf } from '#lib/platform/plain-data.ts';

/** Topology as data only: infra/aws and infra/local create all entries. */

type QueueSpec = {
  consumer: FunctionName;
  batch: number;
  /** Concurrent batches on one machine. On AWS, only with `waits`: weight of the queue when CONCURRENCY is divided. */
  concurrency: number;
  /** Whether its messages wait for external servers, which decide how long a batch takes. */
  waits?: true;
  /** Receives before a message goes to the dead letters, including receives that Lambda throttled. */
  max_receives: number;
};

type FunctionSpec = {
  memory_mb: number;
  timeout_seconds: number;
  /** Writes to the table in addition to reads; absent: no access, not even to read. */
  table?: readonly ('put' | 'delete')[];
  /** Patterns of the partitions that it may access (IAM: `?` is one character, `*` any text); absent: all. */
  partitions?: readonly string[];
  /** Partitions that it may write to; absent: as `partitions`. */
  puts_into?: readonly string[];
  sends: readonly QueueName[];
  publishes?: true;
  /** Access to the published files; absent: none. */
  files?: 'read' | 'write';
  /**
   * Whether it is safely repeated after a crash: it is idempotent and starts from a message or change. Its transactions
   * and messages do not wait for the disk.
   */
  repeatable?: true;
  /** Whether it connects to targets, receivers or the identity provider. See `runsInVpc`. */
  reaches_out?: true;
  /** Settings that it reads from secrets at run time; on one machine from the environment. */
  secrets?: readonly SecretSetting[];
  /** Whether it returns a streaming Response. On AWS it then has its own URL, because the gateway cannot stream. */
  streams?: true;
};

/** Matches any tenant in a pattern: every id has 26 characters after its prefix. */
const ANY_TENANT = `acc_${'?'.repeat(26)}`;
const ofAnyTenant = (...parts: string[]): string => ofTenant(ANY_TENANT, ...parts);

/** Partition patterns that results, heartbeats and pings need, also to decide an alert and create a check by a ping. */
const PUSH_PARTITIONS: readonly string[] = [
  ofAnyTenant(),
  ...['ALERTING', 'BLUEPRINTS', 'CELLS'].map((name) => ofAnyTenant(name)),
  ...['AUDIT', 'CELL', 'CHECK', 'CHECKSLUGS', 'ENTITIES', 'FEED'].map((name) => ofAnyTenant(name, '*')),
  ...['HELD', 'INCIDENT', 'PACKS', 'PAGES', 'SLUGS'].map((name) => ofAnyTenant(name, '*')),
  // The use of a key is noted in its item.
  ...['KEY', 'PING', 'PINGKEY'].map((name) => `${name}#*`),
  ...['OUTAGES', 'SCHEDULE', 'WATERMARK'].map((name) => `${name}#*`),
];

/** Partitions that status pages and badges are drawn from. */
const VISITOR_PARTITIONS: readonly string[] = [
  ofAnyTenant(),
  ...['ALERTING', 'OPEN_INCIDENTS', 'STATUS_PAGES'].map((name) => ofAnyTenant(name)),
  ...['CELL', 'CHECK', 'DAYS', 'ENTITIES', 'PACKS'].map((name) => ofAnyTenant(name, '*')),
  ...['INCIDENT', 'INCIDENTS', 'STATUS_PAGE'].map((name) => ofAnyTenant(name, '*')),
  ...['BADGE', 'OUTAGES', 'STATUS', 'WATERMARK'].map((name) => `${name}#*`),
];

export type FunctionName =
  | 'api'
  | 'sign-in'
  | 'console'
  | 'ingest'
  | 'tester'
  | 'mcp'
  | 'generator'
  | 'prober'
  | 'notifier'
  | 'deliverer'
  | 'action-planner'
  | 'action-runner'
  | 'housekeeper'
  | 'incident-keeper'
  | 'publisher'
  | 'public';

export const functions: Record<FunctionName, FunctionSpec> = {
  api: {
    memory_mb: 512,
    timeout_seconds: 29,
    table: ['put', 'delete'],
    sends: ['job', 'deadline', 'delivery', 'housekeeping', 'action', 'incident', 'publish'],
    reaches_out: true,
  },
  // Separate because it carries the libraries of passkeys and OpenID Connect, which few requests need.
  'sign-in': {
    memory_mb: 512,
    timeout_seconds: 29,
    table: ['put', 'delete'],
    sends: [],
    reaches_out: true,
    secrets: ['OIDC_CLIENT_SECRET'],
  },
  // Serves files that it contains and has no access to accounts. On one machine they are built on the first request.
  console: { memory_mb: 256, timeout_seconds: 29, sends: [] },
  // Public, so it reaches no sessions, links, invitations or addresses.
  ingest: {
    memory_mb: 256,
    timeout_seconds: 29,
    table: ['put', 'delete'],
    partitions: PUSH_PARTITIONS,
    sends: ['deadline', 'housekeeping'],
  },
  // Separate because it waits for targets; and latency is measured best where nothing else runs.
  tester: {
    memory_mb: 512,
    timeout_seconds: 29,
    table: ['put', 'delete'],
    sends: ['job', 'deadline', 'housekeeping'],
    reaches_out: true,
  },
  mcp: {
    memory_mb: 256,
    timeout_seconds: 900,
    table: ['put', 'delete'],
    sends: ['job', 'deadline', 'housekeeping', 'action', 'publish'],
    reaches_out: true,
    streams: true,
  },
  generator: {
    memory_mb: 512,
    timeout_seconds: 60,
    table: ['put'],
    sends: ['tick', 'job', 'deadline', 'housekeeping', 'action', 'publish'],
    // Requests OUTER_PING_URL.
    reaches_out: true,
  },
  prober: {
    memory_mb: 688,
    timeout_seconds: 60,
    table: ['put', 'delete'],
    sends: ['job', 'slow', 'deadline', 'housekeeping'],
    reaches_out: true,
  },
  notifier: {
    memory_mb: 256,
    timeout_seconds: 20,
    table: ['put', 'delete'],
    sends: ['notify', 'delivery', 'deadline', 'incident', 'publish'],
    publishes: true,
    repeatable: true,
  },
  deliverer: {
    memory_mb: 256,
    timeout_seconds: 20,
    table: ['put', 'delete'],
    sends: ['delivery', 'deadline'],
    repeatable: true,
    reaches_out: true,
    secrets: ['NATS_URL', 'SMTP_URL'],
  },
  'action-planner': {
    memory_mb: 256,
    timeout_seconds: 20,
    table: ['put'],
    sends: ['plan', 'action'],
    repeatable: true,
  },
  'action-runner': {
    memory_mb: 256,
    timeout_seconds: 60,
    table: ['put', 'delete'],
    sends: ['action', 'deadline'],
    reaches_out: true,
  },
  housekeeper: {
    memory_mb: 256,
    timeout_seconds: 60,
    table: ['put', 'delete'],
    sends: ['housekeeping', 'incident', 'publish'],
  },
  'incident-keeper': {
    memory_mb: 256,
    timeout_seconds: 30,
    table: ['put', 'delete'],
    sends: ['incident'],
    repeatable: true,
  },
  // Three tenths of a vCPU, because a page of many components takes CPU time.
  publisher: {
    memory_mb: 512,
    timeout_seconds: 20,
    table: ['put', 'delete'],
    sends: ['publish', 'delivery'],
    files: 'write',
    repeatable: true,
  },
  // Serves visitors without a key, so it may change nothing but the cached figures of badges.
  public: {
    memory_mb: 512,
    timeout_seconds: 10,
    table: ['put'],
    partitions: VISITOR_PARTITIONS,
    puts_into: ['BADGE#*'],
    sends: ['publish'],
    files: 'read',
  },
};

/** Whether a function runs in the VPC of VPC_ID. Streaming functions do not: function URLs cannot stream from a VPC. */
export const runsInVpc = (name: FunctionName): boolean =>
  functions[name].reaches_out === true && functions[name].streams !== true;

/** Visibility timeout beyond the timeout of the function. */
const MARGIN_SECONDS = 10;

/** Returns the visibility timeout: longer than the function may run, but short because alerts wait for it. */
export const hiddenSeconds = (queue: QueueName): number =>
  functions[queues[queue].consumer].timeout_seconds + MARGIN_SECONDS;

export const streaming = namesOf(functions).filter((name) => functions[name].streams);

export const queues: Record<QueueName, QueueSpec> = {
  tick: { consumer: 'generator', batch: 1, concurrency: 16, max_receives: 20 },
  job: { consumer: 'prober', batch: 3, concurrency: 50, waits: true, max_receives: 20 },
  slow: { consumer: 'prober', batch: 10, concurrency: 10, waits: true, max_receives: 20 },
  deadline: { consumer: 'prober', batch: 10, concurrency: 10, max_receives: 20 },
  notify: { consumer: 'notifier', batch: 10, concurrency: 5, max_receives: LAST_RECEIVE },
  delivery: { consumer: 'deliverer', batch: 10, concurrency: 20, waits: true, max_receives: LAST_RECEIVE },
  plan: { consumer: 'action-planner', batch: 10, concurrency: 5, max_receives: LAST_RECEIVE },
  action: { consumer: 'action-runner', batch: 10, concurrency: 20, waits: true, max_receives: LAST_RECEIVE },
  housekeeping: { consumer: 'housekeeper', batch: 1, concurrency: 4, max_receives: LAST_RECEIVE },
  incident: { consumer: 'incident-keeper', batch: 10, concurrency: 5, max_receives: LAST_RECEIVE },
  publish: { consumer: 'publisher', batch: 1, concurrency: 4, max_receives: LAST_RECEIVE },
};

/** A request goes to the first route that matches; `api` gets the rest. */
export const routes: readonly { method: string; path: string; function: FunctionName }[] = [
  { method: 'POST', path: '/v1/checks/{id}/results', function: 'ingest' },
  { method: 'POST', path: '/v1/checks/{id}/heartbeat', function: 'ingest' },
  { method: 'ANY', path: '/ping/{proxy+}', function: 'ingest' },
  { method: 'POST', path: '/v1/checks/test', function: 'tester' },
  { method: 'POST', path: '/v1/checks/{id}/run', function: 'tester' },
  { method: 'ANY', path: '/v1/mcp', function: 'mcp' },
  { method: 'ANY', path: '/v1/sign-in/{proxy+}', function: 'sign-in' },
  { method: 'ANY', path: '/status/{proxy+}', function: 'public' },
  { method: 'ANY', path: '/badge/{proxy+}', function: 'public' },
  { method: 'GET', path: '/', function: 'console' },
  { method: 'HEAD', path: '/', function: 'console' },
  { method: 'GET', path: '/assets/{file}', function: 'console' },
  { method: 'HEAD', path: '/assets/{file}', function: 'console' },
  { method: 'GET', path: '/docs', function: 'console' },
  { method: 'HEAD', path: '/docs', function: 'console' },
  { method: 'GET', path: '/docs/{folder}/{page}', function: 'console' },
  { method: 'HEAD', path: '/docs/{folder}/{page}', function: 'console' },
  { method: 'ANY', path: '/{proxy+}', function: 'api' },
];

type StreamSpec = { name: string; function: FunctionName; sk_prefixes: readonly string[]; batch: number };

/** Streams of new items by sort key prefix; one per function: Lambda connects a stream to a function only once. */
export const streams: readonly StreamSpec[] = [
  { name: 'notifier', function: 'notifier', sk_prefixes: [ALERTS, TRANSITIONS], batch: 100 },
  { name: 'action-planner', function: 'action-planner', sk_prefixes: [TRANSITIONS], batch: 100 },
];

/** Whether a new item is for the stream. */
export const isFor = ({ sk_prefixes }: Pick<StreamSpec, 'sk_prefixes'>, sk: string): boolean =>
  sk_prefixes.some((prefix) => sk.startsWith(prefix));

/** Schedules that send `{scheduled_time}` (ISO 8601) to the queue. */
export const schedules: readonly { name: string; queue: QueueName; every_minutes: number }[] = [
  { name: 'tick', queue: 'tick', every_minutes: 1 },
];
