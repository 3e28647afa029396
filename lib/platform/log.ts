import type { Log, LogFields } from './ports.ts';
import { iso } from './time.ts';

export const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECRET = /^(authorization|cookie|secret|token|password|key|raw|x-api-key)$/i;

/**
 * Returns a log that writes one JSON object per line: `level`, `time`, `message` and the fields. Errors become name,
 * message and stack; fields named like secrets become ********.
 * @param write takes a whole line; default stderr
 */
export function makeLog(
  level: LogLevel = 'info',
  write: (line: string) => void = (line) => process.stderr.write(line),
  now: () => number = Date.now,
): Log {
  const minimum = LOG_LEVELS.indexOf(level);
  const writerOf = (name: 'info' | 'warn' | 'error') => {
    if (LOG_LEVELS.indexOf(name) < minimum) return () => {};
    return (message: string, fields: LogFields = {}) => {
      const head = { level: name, time: iso(now()), message };
      write(`${JSON.stringify({ ...head, ...fields, ...head }, toPlain)}\n`);
    };
  };
  return { info: writerOf('info'), warn: writerOf('warn'), error: writerOf('error') };
}

function toPlain(name: string, value: unknown): unknown {
  const redacted = redactField(name, value);
  if (typeof redacted === 'bigint') return String(redacted);
  if (!(redacted instanceof Error)) return redacted;
  const { message, stack, cause } = redacted;
  return { name: redacted.name, message, stack, ...(cause !== undefined && { cause }) };
}

export const redactField = (name: string, value: unknown): unknown =>
  SECRET.test(name) && typeof value === 'string' ? '********' : value;
