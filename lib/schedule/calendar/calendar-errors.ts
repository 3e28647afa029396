import { invalid } from '#lib/platform/errors.ts';
import { CalendarError } from './schedule-line.ts';

/**
 * Runs a parser or an assertion. Converts its CalendarError to a VALIDATION_ERROR at a path of the request. It has its
 * own file, because the console loads the parsers in a browser, without the errors of the API.
 */
export function calendarErrorsAt<T>(path: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof CalendarError) throw invalid(path, error.message);
    throw error;
  }
}
