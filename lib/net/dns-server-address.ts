import { isIP } from 'node:net';

/** Parses an IP address with an optional port, default 53: `192.0.2.1:5353`, `[2001:db8::1]:53`; else undefined. */
export function parseServer(text: string): { host: string; port: number } | undefined {
  if (isIP(text)) return { host: text, port: 53 };
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? '';
  const port = Number(match?.[3] ?? 53);
  return isIP(host) === (match?.[1] ? 6 : 4) && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}
