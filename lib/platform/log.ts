import type { Log, LogFields } from './ports.ts';
import { iso } from './time.ts';

export const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Members whose value never reaches a log. */
const SECRET = /^(authorization|cookie|secret|token|password|key|raw|x-api-key)$/i;

/**
 * A log of one JSON object a line: `level`, `time`, `message`, and the fields. Errors become name, message and stack,
 * and what looks like a secret by its name becomes ********.
 * @param write takes a whole line; by default stderr
 */
export function makeLog(
  level: LogLevel = 'info',
  write: (line: string) => void = (line) => process.stderr.write(line),
  now: () => number = Date.now,
): Log {
  const lowest = LOG_LEVELS.indexOf(level);
  const at = (name: 'info' | 'warn' | 'error') => {
    if (LOG_LEVELS.indexOf(name) < lowest) return () => {};
    return (message: string, fields: LogFields = {}) => {
      const head = { level: name, time: iso(now()), message };
      write(`${JSON.stringify({ ...head, ...fields, ...head }, plain)}\n`);
    };
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function plain(name: string, value: unknown): unknown {
  const redacted = redactField(name, value);
  if (typeof redacted === 'bigint') return String(redacted);
  if (!(redacted instanceof Error)) return redacted;
  const { message, stack, cause } = redacted;
  return { name: redacted.name, message, stack, ...(cause !== undefined && { cause }) };
}

/** A member's value as a log may show it: ******** for what is a secret by its name. */
export const redactField = (name: string, value: unknown): unknown =>
  SECRET.test(name) && typeof value === 'string' ? '********' : value;
