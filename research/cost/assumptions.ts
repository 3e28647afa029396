/**
 * Assumed values, which the command prints. Everything else is executed and counted: requests, capacity, receives,
 * invocations, and the CPU time of the functions with the AWS SDK on this machine.
 */
export const ASSUMPTIONS = {
  /** Latency of the table, a queue and the bus (ms). */
  table_ms: 5,
  queue_ms: 10,
  bus_ms: 10,
  /** Latency of a target, including the connection (ms). */
  target_ms: 100,
  /** Sigma of the latency of targets with a tail, which is log-normal with the same median. */
  target_sigma: 1,
  /** Number of accounts in the scenarios with many accounts. */
  tenants: 100,
  /** Latency of the receiver of an alert (ms). */
  receiver_ms: 200,
  /** CPU of a probe with a new TLS connection; a GET without TLS takes 0.15 (ms of a vCPU). */
  probe_cpu_ms: 1,
  /** CPU of a request on an open connection (ms of a vCPU), in addition to the CPU of the SDK. */
  request_cpu_ms: 0.15,
  /** Memory with a full vCPU (MB); the share is proportional to memory. */
  vcpu_mb: 1769,
  /** Billed start of a process (ms), and time for which an idle one is kept (ms). */
  init_ms: 500,
  kept_ms: 10 * 60_000,
  /**
   * Minimum number of pollers of a queue that CONCURRENCY does not bound; and duration of the long poll of each (ms).
   */
  pollers: 2,
  long_poll_ms: 20_000,
  /** Interval (ms) at which a poller is added while messages wait: 300 a minute. */
  poller_every_ms: 200,
  /** Billing unit of a payload in bytes. */
  chunk_bytes: 64 * 1024,
  /** Poll interval of a stream shard (ms), and number of shards. Lambda reads it free of charge. */
  stream_ms: 250,
  stream_shards: 4,
  /** Bytes of platform log lines per invocation. */
  platform_log_bytes: 350,
} as const;
