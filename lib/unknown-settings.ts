import { closestName, editDistance } from '#lib/platform/http/closest-name.ts';

/** No other program has settings that begin so. */
const OURS = ['CHECK_', 'EGRESS_', 'MCP_STREAM', 'MIN_INTERVAL', 'JOB_GROUP', 'RATE_LIMIT'];

/** One word says too little (PORTS, SHARD), and these resemble what others set (LOGLEVEL). */
const isTelling = (name: string): boolean => name.includes('_') && name !== 'LOG_LEVEL';

/** What Kubernetes and Docker set for a service of any name: MCP_SERVICE_HOST, CHECK_PORT_80_TCP_ADDR. */
const LINK = /_(?:SERVICE_(?:HOST|PORT)|PORT(?:_\d+_(?:TCP|UDP|SCTP))?)(?:_\w+)?$/;

/**
 * Of the names of an environment those that were meant to be settings of ours and are none, each in a sentence with the
 * setting that may be meant: one or two letters off (long names: two), or with a beginning that is ours alone. All
 * others belong to somebody else. Pure.
 */
export const unknownSettings = (names: readonly string[], known: readonly string[]): string[] =>
  names
    .filter((name) => !known.includes(name) && isMeantForUs(name.toUpperCase(), known))
    .map((name) => told(name, known));

/** How one unknown setting is told. */
export function told(name: string, known: readonly string[]): string {
  const near = closestName(name, known);
  return near === undefined ? `${name} is not known` : `${name} is not known; did you mean ${near}?`;
}

function isMeantForUs(name: string, known: readonly string[]): boolean {
  if (LINK.test(name)) return false;
  return (
    OURS.some((beginning) => name.startsWith(beginning)) || known.filter(isTelling).some((one) => isNear(name, one))
  );
}

const isNear = (name: string, known: string): boolean =>
  Math.abs(name.length - known.length) <= 2 && editDistance(name, known) <= (known.length < 10 ? 1 : 2);
