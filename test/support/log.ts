import type { Log, LogFields } from '#lib/platform/ports.ts';

export type Line = { level: 'info' | 'warn' | 'error'; message: string; fields: LogFields };

/** Returns a log that keeps its lines for a test. */
export function memoryLog(): Log & { lines: Line[] } {
  const lines: Line[] = [];
  const at =
    (level: Line['level']) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields });
    };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
