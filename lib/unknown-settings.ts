import { closestName, editDistance } from '#lib/platform/http/closest-name.ts';

/** Prefixes of settings: an unknown variable with one of them is an error, unless it matches LINK. */
const OWN_PREFIXES = ['CHECK_', 'EGRESS_', 'MCP_STREAM', 'MIN_INTERVAL', 'JOB_GROUP', 'RATE_LIMIT'];

/** Whether a setting is distinctive enough to be compared with other names; PORT, SHARDS and LOG_LEVEL are not. */
const isDistinctive = (name: string): boolean => name.includes('_') && name !== 'LOG_LEVEL';

/** Variables that Kubernetes and Docker set for services: MCP_SERVICE_HOST, CHECK_PORT_80_TCP_ADDR. */
const LINK = /_(?:SERVICE_(?:HOST|PORT)|PORT(?:_\d+_(?:TCP|UDP|SCTP))?)(?:_\w+)?$/;

/**
 * Returns errors for unknown environment variables that have a prefix of this service, or differ from a setting by one
 * letter, or two in a long name. Other names are ignored. Pure.
 */
export const unknownSettings = (names: readonly string[], known: readonly string[]): string[] =>
  names
    .filter((name) => !known.includes(name) && looksLikeSetting(name.toUpperCase(), known))
    .map((name) => unknownSettingText(name, known));

export function unknownSettingText(name: string, known: readonly string[]): string {
  const near = closestName(name, known);
  return near === undefined ? `${name} is not known` : `${name} is not known; did you mean ${near}?`;
}

function looksLikeSetting(name: string, known: readonly string[]): boolean {
  const hasOwnPrefix = OWN_PREFIXES.some((beginning) => name.startsWith(beginning)) && !LINK.test(name);
  return hasOwnPrefix || known.filter(isDistinctive).some((one) => isNear(name, one));
}

const isNear = (name: string, known: string): boolean =>
  Math.abs(name.length - known.length) <= 2 && editDistance(name, known) <= (known.length < 10 ? 1 : 2);
