import { expect, it } from 'vitest';
import { settingsAndLog } from '#lib/aws/lambda/settings-and-log.ts';

it('reads the settings of a function without a table, which has no TABLE_NAME', () => {
  expect(settingsAndLog({ PUBLIC_URL: 'https://fleet.example.com/' }).settings.PUBLIC_URL).toBe(
    'https://fleet.example.com',
  );
});

it('rejects an invalid setting', () => {
  expect(() => settingsAndLog({ PUBLIC_URL: 'fleet.example.com' })).toThrow('PUBLIC_URL');
  expect(() => settingsAndLog({ LOG_LEVEL: 'loud' })).toThrow('LOG_LEVEL');
});
