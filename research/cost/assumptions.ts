/**
 * What is not counted but taken as given; the command prints it. Everything else happens: requests, capacity, receives,
 * invocations, and the CPU time of the functions with the AWS SDK, taken from this machine.
 */
export const ASSUMPTIONS = {
  /** An answer of the table, of a queue, of the bus (ms). */
  table_ms: 5,
  queue_ms: 10,
  bus_ms: 10,
  /** A target with its connection, and the receiver of an alert (ms). */
  target_ms: 100,
  /** Where targets have a tail: log-normal about the same median. */
  target_sigma: 1,
  tenants: 100,
  receiver_ms: 200,
  /** CPU of a probe on a new TLS connection; a bare GET without TLS takes 0.15 (ms of a whole vCPU). */
  probe_cpu_ms: 1,
  /** CPU of one request on an open connection, beside what the SDK takes to build, sign and read it. */
  request_cpu_ms: 0.15,
  /** A vCPU (AWS: memory decides the share of it). */
  vcpu_mb: 1769,
  /** Billed start of a process (ms), and how long an idle one is kept (ms). */
  init_ms: 500,
  kept_ms: 10 * 60_000,
  /** Pollers of a queue at the least, each with one long poll of so many ms; five where CONCURRENCY bounds it. */
  pollers: 2,
  long_poll_ms: 20_000,
  /** More of them while messages wait: 300 a minute. */
  poller_every_ms: 200,
  /** A payload is billed by chunks of so many bytes. */
  chunk_bytes: 64 * 1024,
  /** How often a shard of the stream is read (ms), and how many there are. Lambda reads it for nothing. */
  stream_ms: 250,
  stream_shards: 4,
  /** Bytes of the platform's own log lines for one invocation. */
  platform_log_bytes: 350,
} as const;
