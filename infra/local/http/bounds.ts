/** What clients may take of one machine before anything is known of them. Times in ms. */
export const BOUNDS = {
  /** Open connections, and those of one address that is no trusted proxy. */
  connections: 4000,
  connections_of_address: 500,
  /** From the start of a connection or request until its headers are there, and until its body is. */
  headers_ms: 15_000,
  request_ms: 60_000,
  /** Between two requests of a connection; longer than the proxies in front of a service keep theirs, often 60 s. */
  idle_ms: 72_000,
  /** How long an answer may wait for its reader to take more of it, and a stream, which says something every 15 s. */
  stall_ms: 30_000,
  stream_stall_ms: 60_000,
  /** How much, and how long, a body may go on behind its answer: so much is read and forgotten. */
  behind_bytes: 16 * 1024 * 1024,
  behind_ms: 20_000,
  /** A body so small needs no room; of larger ones so many bytes are received at once, and for one address. */
  small_body_bytes: 16 * 1024,
  body_bytes: 64 * 1024 * 1024,
  body_bytes_of_address: 16 * 1024 * 1024,
  /** An answer so small is not counted; of larger ones so many bytes wait for their readers at once. */
  small_answer_bytes: 64 * 1024,
  answer_bytes: 16 * 1024 * 1024,
};
export type Bounds = typeof BOUNDS;
