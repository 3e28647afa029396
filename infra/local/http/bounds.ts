/** Bounds for clients before they are identified. Times in ms. */
export const BOUNDS = {
  /** Open connections in total, and of one network (see `networkOf`) except trusted proxies. */
  connections: 4000,
  connections_of_address: 500,
  /** Time from the start of a connection or request to the end of its headers, and of its body. */
  headers_ms: 15_000,
  request_ms: 60_000,
  /** Time between two requests of a connection; longer than the idle timeout of proxies in front, often 60 s. */
  idle_ms: 72_000,
  /** Time that a response, or a stream with a keep-alive every 15 s, waits for its reader. */
  stall_ms: 30_000,
  stream_stall_ms: 60_000,
  /** Bytes, and time, for which the rest of a body is read and discarded after the response. */
  discarded_bytes: 16 * 1024 * 1024,
  discarding_ms: 20_000,
  /** Maximum size of bodies that are not counted; bytes of larger ones received at once, in total and per address. */
  small_body_bytes: 16 * 1024,
  body_bytes: 64 * 1024 * 1024,
  body_bytes_of_address: 16 * 1024 * 1024,
  /** Maximum size of responses that are not counted; bytes of larger ones that wait for their readers. */
  small_response_bytes: 64 * 1024,
  response_bytes: 16 * 1024 * 1024,
};
export type Bounds = typeof BOUNDS;
