import { describe, expect, it } from 'vitest';
import { barriers } from '#test/support/axe.ts';
import { receiving } from '#test/support/receiving.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { lookingAtCheck } from './looking-at-check.ts';
import { expectDisabled } from './person.ts';

describe.skipIf(!binary)('the page of a check, in a real browser', () => {
  const world = browserAndService();
  const onCall = lookingAtCheck(world, receiving());

  it('is looked at by who may only read, without a secret', async () => {
    const person = await onCall({ readOnly: true });
    await expectDisabled(person, 'Turn off', /read-only/);
    await expectDisabled(person, 'Send a test', /read-only/);
    expect(await person.page.content()).not.toContain(person.path);
  });

  it('that is not there says so', async () => {
    const { page } = await onCall();
    await page.evaluate(`location.hash = '#/checks/chk_nothing'`);
    await page.getByText('There is no such check').waitFor();
  });

  atNight('has no barrier in either theme, and fits a phone', async () => {
    const { page } = await onCall();
    await page.getByText(/Taken by Slack/).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await barriers(page)).toEqual([]);
  });
});
