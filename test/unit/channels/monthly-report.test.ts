import { expect, it } from 'vitest';
import type { MonthFigures, MonthlyReport } from '#lib/channels/alert.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import { examples } from './example-alerts.ts';

const nothing: MonthFigures = { uptime: null, coverage: null, down_seconds: 0, incidents: 0 };
const report: MonthlyReport = {
  account: 'Acme',
  month: '2026-11',
  current: { uptime: 0.999537, coverage: 0.998, down_seconds: 1296, incidents: 3 },
  before: { uptime: 1, coverage: 1, down_seconds: 0, incidents: 0 },
  without_data: 2,
  worst: [
    { name: 'Checkout', uptime: 0.999629, down_seconds: 960 },
    { name: 'Search', uptime: 0.99987, down_seconds: 336 },
  ],
  url: 'https://watch.example.com/#/report',
};
const reports = {
  'a month with downtime': report,
  'the first month': { ...report, before: nothing, without_data: 0 },
  'a month without data': { ...report, month: '2027-01', current: nothing, before: nothing, worst: [] },
};

it('monthly report matches its golden page', async () => {
  const pages = Object.entries(reports).map(([name, one]) => {
    const alert = { ...examples.test, kind: 'monthly_report' as const, report: one };
    const send = channelTypeOf('email')!.render(alert, { to: 'ann@example.com' });
    return send.via === 'smtp' ? `=== ${name}\nsubject: ${send.mail.subject}\n\n${send.mail.text}` : '';
  });
  await expect(`${pages.join('\n')}`).toMatchFileSnapshot('golden/monthly-report.txt');
});
