import { describe, expect, it } from 'vitest';
import { schemas } from '#console/api/schemas.ts';
import {
  durationText,
  joinDuration,
  rangeText,
  splitDuration,
  unitsOf,
  withDefault,
} from '#console/rules/durations.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';

const SECONDS = { unit: 1000 };
const timeout = { unit: 1, minimum: 10, maximum: 30_000 };

describe('duration field', () => {
  it('is used for every setting in seconds or milliseconds, with a label without the unit', () => {
    const durations = fieldsOf(schemas.checks.push!).filter(({ kind }) => kind === 'duration');
    expect(durations.map(({ label, unit }) => [label, unit])).toEqual([
      ['Grace time', 1000],
      ['Longest job run', 1000],
      ['First heartbeat within', 1000],
      ['Interval', 1000],
      ['Timeout', 1],
    ]);
  });

  it('shows a value in its largest whole unit', () => {
    expect(splitDuration(SECONDS, '300')).toEqual({ amount: '5', unit: 'min' });
    expect(splitDuration(SECONDS, '86400')).toEqual({ amount: '1', unit: 'd' });
    expect(splitDuration(SECONDS, '90')).toEqual({ amount: '90', unit: 's' });
    expect(splitDuration(timeout, '1500')).toEqual({ amount: '1500', unit: 'ms' });
    expect(splitDuration(timeout, '5000')).toEqual({ amount: '5', unit: 's' });
    expect(splitDuration(SECONDS, '0')).toEqual({ amount: '0', unit: 'min' });
  });

  it('converts an amount to the unit of the API', () => {
    expect(joinDuration(SECONDS, '1.1', 'h')).toBe('3960');
    expect(joinDuration(timeout, '2.5', 's')).toBe('2500');
    expect(joinDuration(SECONDS, '-1', 's')).toBe('-1');
  });

  it('keeps text that is not a number, so that the API reports it', () => {
    expect(joinDuration(SECONDS, 'soon', 'h')).toBe('soon');
    expect(splitDuration(SECONDS, 'soon').amount).toBe('soon');
    expect(joinDuration(SECONDS, '', 'h')).toBe('');
  });

  it('offers the unit of the API and larger ones up to the maximum, and shows the limits', () => {
    expect(unitsOf(timeout)).toEqual(['ms', 's']);
    expect(unitsOf({ ...SECONDS, maximum: 86_400 })).toEqual(['s', 'min', 'h', 'd']);
    expect(rangeText(timeout)).toBe('10 ms to 30 s.');
    expect(rangeText({ ...SECONDS, minimum: 0, maximum: 604_800 })).toBe('At most 7 d.');
    expect(durationText(timeout, '5000')).toBe('5 s');
  });

  it('shows the default in its description with a unit', () => {
    expect(withDefault(SECONDS, 'Time between alerts. Default: 300.')).toBe('Time between alerts. Default: 5 min.');
    expect(withDefault(timeout, 'Timeout in milliseconds. Default: 10,000.')).toBe(
      'Timeout in milliseconds. Default: 10 s.',
    );
    expect(withDefault(SECONDS, 'Grace. Default: a day.')).toBe('Grace. Default: a day.');
  });
});
