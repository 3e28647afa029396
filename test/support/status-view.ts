import { DAY_MS, iso } from '#lib/platform/time.ts';
import type { Language } from '#lib/public/pages/status-page.ts';
import { type ComponentState, type ComponentView, type PublishedView, pageState } from '#lib/public/pages/view.ts';

const NOW = Date.UTC(2026, 10, 21, 5, 16, 40);

type Options = {
  states?: ComponentState[];
  days?: number;
  language?: Language;
  appearance?: Partial<PublishedView['appearance']>;
  incidents?: PublishedView['view']['incidents'];
  maintenance?: PublishedView['view']['maintenance'];
  at?: number;
};

/** Returns a component that is not operational on one day in nine. */
const component = (state: ComponentState, i: number, days: number, at: number): ComponentView => ({
  id: `cmp_${i}`,
  name: `Component ${i}`,
  description: i % 5 === 0 ? 'Carts, payments and receipts' : '',
  state,
  since: iso(at),
  uptime: 0.999_512,
  coverage: 0.998,
  latency: i % 4 === 0 ? { p50_ms: 84, p95_ms: 412 } : null,
  days: Array.from({ length: days }, (_, d) => {
    const kind =
      (['outage', 'degraded', 'maintenance', 'unknown'] as const)[((d * 7 + i * 3) % 36) / 9] ?? 'operational';
    return {
      date: iso(at - (days - 1 - d) * DAY_MS).slice(0, 10),
      kind,
      uptime: kind === 'outage' ? 0.97 : 1,
      down_seconds: kind === 'outage' ? 2580 : 0,
    };
  }),
});

/** Returns the published view of a page, by default with one component for each state. */
export function statusView({
  states = ['operational', 'degraded', 'outage', 'maintenance', 'unknown'],
  days = 90,
  language = 'en',
  appearance = {},
  incidents = [],
  maintenance = [],
  at = NOW,
}: Options = {}): PublishedView {
  const components = states.map((state, i) => component(state, i, days, at));
  const half = Math.ceil(components.length / 2);
  const groups = [
    { name: 'Shop', components: components.slice(0, half) },
    { name: 'Back office', components: components.slice(half) },
  ];
  return {
    view: {
      version: 1,
      page: {
        title: 'Acme status',
        description: 'What runs, what does not, and what is planned.',
        language,
        time_zone: 'Europe/Berlin',
        home_url: 'https://example.com/',
        support_url: 'https://example.com/support',
      },
      state: pageState(states),
      as_of: iso(at),
      revision: '0123456789ab',
      groups: groups.filter((group) => group.components.length > 0),
      incidents,
      maintenance,
    },
    past: [],
    occurrences: [],
    notices: [],
    created_at: '2026-01-01T00:00:00.000Z',
    appearance: { theme: 'auto', accent: 'blue', is_indexed: true, ...appearance },
  };
}

/** Returns a resolved incident with updates by a user and by the service. */
export const statusIncident = (id = 'inc_1', at = NOW): PublishedView['view']['incidents'][number] => ({
  id,
  title: 'Checkout: outage',
  status: 'resolved',
  impact: 'outage',
  started_at: iso(at - 7_200_000),
  resolved_at: iso(at - 3_600_000),
  component_ids: ['cmp_0'],
  updates: [
    {
      id: `${id}-end`,
      status: 'resolved',
      message: 'Checkout was down for 1 hour.',
      at: iso(at - 3_600_000),
      edited_at: null,
    },
    {
      id: `${id}-u1`,
      status: 'identified',
      message: 'The payment provider has a fault.\nDetails: https://status.example.com/x?a=1&b=2.',
      at: iso(at - 5_400_000),
      edited_at: iso(at - 5_000_000),
    },
    {
      id: `${id}-start`,
      status: null,
      message: 'Checkout has been down since 04:16 UTC.',
      at: iso(at - 7_200_000),
      edited_at: null,
    },
  ],
});

/** Returns maintenance that is in progress. */
export const statusMaintenance = (at = NOW): PublishedView['view']['maintenance'][number] => ({
  id: 'win_1-1',
  title: 'Scheduled maintenance',
  starts_at: iso(at - 600_000),
  ends_at: iso(at + 3_600_000),
  status: 'running',
  component_ids: ['cmp_3'],
});
