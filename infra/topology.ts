import { ALERTS, TRANSITIONS } from '#lib/keys.ts';
import { LAST_RECEIVE, type QueueName } from '#lib/messages.ts';

/**
 * What Fleetwatch is made of, as data and nothing else. infra/aws and infra/local build it, each in its own way; what
 * stands here and has no twin there does not compile.
 */

type QueueSpec = {
  /** Who consumes it. */
  consumer: FunctionName;
  /** Messages handed over at once. */
  batch: number;
  /** Batches in hand at the same time on one machine; on AWS its share of the setting CONCURRENCY, if it waits. */
  concurrency: number;
  /** Its function waits for servers of others, and may hold what it has in hand for as long as they like. */
  waits?: true;
  /** Receives before a message goes to the dead letters. Also those that no function saw, as Lambda throttled it. */
  max_receives: number;
};

type FunctionSpec = {
  memory_mb: number;
  timeout_seconds: number;
  /** What it does to the table beside reading it; absent: it does not even read. */
  table?: readonly ('put' | 'delete')[];
  sends: readonly QueueName[];
  publishes?: true;
  /**
   * Begins with a message or a change of the table, and may be repeated from that without harm. On one machine its
   * commits need not wait for the disk: a power cut that takes them brings the message back as well.
   */
  repeats?: true;
  /** Connects to hosts of tenants, or to the identity provider: in the operator's own VPC, if there is one. */
  reaches_out?: true;
  /**
   * Answers a web Response that may go on for its whole time. On AWS it has a URL of its own for that, as the gateway
   * cannot stream: its routes hold there, and on the gateway the next row that fits.
   */
  streams?: true;
};

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
  | 'aggregator'
  | 'incident-keeper'
  | 'reclaimer';

export const functions: Record<FunctionName, FunctionSpec> = {
  api: {
    memory_mb: 512,
    timeout_seconds: 29,
    table: ['put', 'delete'],
    sends: ['job', 'deadline', 'rollup', 'action', 'reclaim', 'incident'],
    reaches_out: true,
  },
  // Apart, as it carries the libraries of passkeys and of OpenID Connect, which hardly a request needs.
  'sign-in': { memory_mb: 512, timeout_seconds: 29, table: ['put', 'delete'], sends: [], reaches_out: true },
  // Answers files that it carries itself: it knows nothing of accounts. One machine makes them at the first request.
  console: { memory_mb: 256, timeout_seconds: 29, sends: [] },
  ingest: { memory_mb: 256, timeout_seconds: 29, table: ['put', 'delete'], sends: ['deadline', 'rollup'] },
  // Apart, as it waits for targets; and a machine that does nothing else measures them best.
  tester: {
    memory_mb: 512,
    timeout_seconds: 29,
    table: ['put', 'delete'],
    sends: ['job', 'deadline', 'rollup'],
    reaches_out: true,
  },
  mcp: {
    memory_mb: 256,
    timeout_seconds: 900,
    table: ['put', 'delete'],
    sends: ['job', 'deadline', 'rollup', 'action'],
    reaches_out: true,
    streams: true,
  },
  generator: {
    memory_mb: 512,
    timeout_seconds: 60,
    table: ['put'],
    sends: ['tick', 'job', 'deadline', 'rollup', 'action', 'reclaim'],
  },
  prober: {
    memory_mb: 768,
    timeout_seconds: 60,
    table: ['put', 'delete'],
    sends: ['job', 'slow', 'deadline', 'rollup'],
    reaches_out: true,
  },
  notifier: {
    memory_mb: 256,
    timeout_seconds: 20,
    table: ['put', 'delete'],
    sends: ['notify', 'delivery', 'deadline', 'incident'],
    publishes: true,
    repeats: true,
  },
  deliverer: {
    memory_mb: 256,
    timeout_seconds: 20,
    table: ['put', 'delete'],
    sends: ['delivery', 'deadline'],
    repeats: true,
    reaches_out: true,
  },
  'action-planner': { memory_mb: 256, timeout_seconds: 20, table: ['put'], sends: ['plan', 'action'], repeats: true },
  'action-runner': {
    memory_mb: 256,
    timeout_seconds: 60,
    table: ['put', 'delete'],
    sends: ['action', 'deadline'],
    reaches_out: true,
  },
  aggregator: { memory_mb: 256, timeout_seconds: 60, table: ['put'], sends: ['rollup'] },
  'incident-keeper': {
    memory_mb: 256,
    timeout_seconds: 30,
    table: ['put', 'delete'],
    sends: ['incident'],
    repeats: true,
  },
  reclaimer: { memory_mb: 256, timeout_seconds: 60, table: ['put', 'delete'], sends: ['reclaim', 'incident'] },
};

/** Visibility time-out beyond the time-out of the function. */
const MARGIN_SECONDS = 10;

/**
 * Visibility time-out of a queue: after it, a message that failed or was never run is given again. Short, as alerts
 * wait for it, but longer than its function may run.
 */
export const hiddenSeconds = (queue: QueueName): number =>
  functions[queues[queue].consumer].timeout_seconds + MARGIN_SECONDS;

/** Those that answer in a stream, each at an address of its own. */
export const streaming = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].streams);

export const queues: Record<QueueName, QueueSpec> = {
  tick: { consumer: 'generator', batch: 1, concurrency: 16, max_receives: 20 },
  job: { consumer: 'prober', batch: 3, concurrency: 50, waits: true, max_receives: 20 },
  slow: { consumer: 'prober', batch: 10, concurrency: 10, waits: true, max_receives: 20 },
  deadline: { consumer: 'prober', batch: 10, concurrency: 10, max_receives: 20 },
  notify: { consumer: 'notifier', batch: 10, concurrency: 5, max_receives: LAST_RECEIVE },
  delivery: { consumer: 'deliverer', batch: 10, concurrency: 20, waits: true, max_receives: LAST_RECEIVE },
  plan: { consumer: 'action-planner', batch: 10, concurrency: 5, max_receives: LAST_RECEIVE },
  action: { consumer: 'action-runner', batch: 10, concurrency: 20, waits: true, max_receives: LAST_RECEIVE },
  rollup: { consumer: 'aggregator', batch: 1, concurrency: 2, max_receives: LAST_RECEIVE },
  incident: { consumer: 'incident-keeper', batch: 10, concurrency: 5, max_receives: LAST_RECEIVE },
  reclaim: { consumer: 'reclaimer', batch: 1, concurrency: 2, max_receives: LAST_RECEIVE },
};

/** Requests go to the first row that fits; `api` has the rest. */
export const routes: readonly { method: string; path: string; function: FunctionName }[] = [
  { method: 'POST', path: '/v1/checks/{id}/results', function: 'ingest' },
  { method: 'POST', path: '/v1/checks/{id}/heartbeat', function: 'ingest' },
  { method: 'ANY', path: '/ping/{proxy+}', function: 'ingest' },
  { method: 'POST', path: '/v1/checks/test', function: 'tester' },
  { method: 'POST', path: '/v1/checks/{id}/run', function: 'tester' },
  { method: 'ANY', path: '/v1/mcp', function: 'mcp' },
  { method: 'ANY', path: '/v1/sign-in/{proxy+}', function: 'sign-in' },
  { method: 'GET', path: '/', function: 'console' },
  { method: 'HEAD', path: '/', function: 'console' },
  { method: 'GET', path: '/assets/{file}', function: 'console' },
  { method: 'HEAD', path: '/assets/{file}', function: 'console' },
  { method: 'ANY', path: '/{proxy+}', function: 'api' },
];

type StreamSpec = { name: string; function: FunctionName; sk_prefixes: readonly string[]; batch: number };

/**
 * New items of the table whose sort key begins with one of `sk_prefixes` reach the function, batch by batch. A row a
 * function, as Lambda takes a stream once a function.
 */
export const streams: readonly StreamSpec[] = [
  { name: 'notifier', function: 'notifier', sk_prefixes: [ALERTS, TRANSITIONS], batch: 100 },
  { name: 'action-planner', function: 'action-planner', sk_prefixes: [TRANSITIONS], batch: 100 },
];

/** Whether a new item is one for the stream. */
export const isFor = ({ sk_prefixes }: Pick<StreamSpec, 'sk_prefixes'>, sk: string): boolean =>
  sk_prefixes.some((prefix) => sk.startsWith(prefix));

/** Once a minute a message `{scheduled_time}` (ISO 8601) onto the queue. */
export const schedules: readonly { name: string; queue: QueueName; every_minutes: number }[] = [
  { name: 'tick', queue: 'tick', every_minutes: 1 },
];
