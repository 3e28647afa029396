import type { LambdaLog } from '#lib/aws/lambda/lambda.ts';
import type { LogFields } from '#lib/platform/ports.ts';
import type { Meter } from './meter.ts';

/** Bytes that the logger adds to a line: level, time, service, request id and their names. */
const FRAME_BYTES = 180;

/** Creates a log that counts its bytes. It throws on a logged error, because failures would distort the price. */
export function countingLog(meter: Meter): LambdaLog {
  const line = (message: string, fields: LogFields = {}) =>
    meter.log(FRAME_BYTES + message.length + JSON.stringify(fields).length);
  return {
    info: line,
    warn: line,
    error: (message, { error, ...fields } = {}) => {
      throw new Error(`A function logged an error: ${message} ${JSON.stringify(fields)}`, { cause: error });
    },
    begin: () => {},
  };
}
