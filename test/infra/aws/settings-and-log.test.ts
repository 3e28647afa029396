import { expect, it } from 'vitest';
import { settingsAndLog } from '#lib/aws/lambda/settings-and-log.ts';

it('starts a function without a table and without TABLE_NAME, with the settings of the service', () => {
  expect(settingsAndLog({ PUBLIC_URL: 'https://fleet.example.com/' }).settings.PUBLIC_URL).toBe(
    'https://fleet.example.com',
  );
});

it('does not start with an invalid setting', () => {
  expect(() => settingsAndLog({ PUBLIC_URL: 'fleet.example.com' })).toThrow('PUBLIC_URL');
  expect(() => settingsAndLog({ LOG_LEVEL: 'loud' })).toThrow('LOG_LEVEL');
});
