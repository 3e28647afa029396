import type { StatusPage } from '#console/api/records.ts';
import type { FormSchema } from './form-fields.ts';

type ComponentRow = {
  name?: string;
  group?: string;
  entity_id?: string;
  check_id?: string;
  description?: string;
  show_uptime?: boolean;
  show_latency?: boolean;
};

const LOOK = 'Appearance';
const INCIDENTS = 'Incidents and links';

export const STATUS_PAGE: FormSchema = {
  required: ['title', 'slug'],
  properties: {
    title: { type: 'string', description: 'Title that visitors see.' },
    slug: { type: 'string', title: 'Address', description: 'Last part of the address: /status/acme.' },
    description: { type: 'string', description: 'Text below the title.', default: '' },
    visibility: {
      type: 'string',
      enum: ['draft', 'public', 'link'],
      titles: { draft: 'draft: only the preview', public: 'public', link: 'only at a secret address' },
      description: 'Visitors who can open the page.',
      default: 'draft',
    },
    history_days: { type: 'integer', title: 'Days of history', enum: [30, 60, 90], default: 90, 'x-group': LOOK },
    language: {
      type: 'string',
      enum: ['en', 'de', 'fr', 'es'],
      titles: { en: 'English', de: 'German', fr: 'French', es: 'Spanish' },
      description: 'Language of the fixed texts.',
      default: 'en',
      'x-group': LOOK,
    },
    time_zone: { type: 'string', description: 'Time zone of all times on the page.', default: 'UTC', 'x-group': LOOK },
    theme: { type: 'string', enum: ['auto', 'light', 'dark'], default: 'auto', 'x-group': LOOK },
    accent: {
      type: 'string',
      enum: ['blue', 'teal', 'green', 'purple', 'magenta', 'red', 'orange', 'gray'],
      description: 'Color of links.',
      default: 'blue',
      'x-group': LOOK,
    },
    automatic_incidents: {
      type: 'boolean',
      description: 'Whether incidents are shown without a published update.',
      default: true,
      'x-group': INCIDENTS,
    },
    automatic_delay_seconds: {
      type: 'integer',
      description: 'Minimum duration of an incident that is shown without a published update.',
      minimum: 0,
      maximum: 3600,
      default: 180,
      'x-group': INCIDENTS,
    },
    allow_index: {
      type: 'boolean',
      title: 'Search engines',
      description: 'Whether search engines may list the page.',
      default: true,
      'x-group': INCIDENTS,
    },
    home_url: {
      anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }],
      title: 'Home page',
      'x-group': INCIDENTS,
    },
    support_url: {
      anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }],
      title: 'Support',
      'x-group': INCIDENTS,
    },
    components: {
      type: 'array',
      description: 'Shown in this order. Components with the same heading form a group.',
      items: {
        required: ['name'],
        properties: {
          name: { type: 'string', title: 'Name for visitors' },
          group: { type: 'string', title: 'Heading' },
          entity_id: { type: 'string', format: 'entity', title: 'Entity' },
          check_id: { type: 'string', format: 'check', title: 'Or one check' },
          description: { type: 'string' },
          show_uptime: { type: 'boolean', title: 'Show uptime', default: true },
          show_latency: { type: 'boolean', title: 'Show latency', default: false },
        },
      },
    },
  },
};

/** Converts a page to a form record, with its components as rows. Pure. */
export function formRecord({ groups, ...page }: StatusPage) {
  const components = groups.flatMap(({ name: group, components: own }) =>
    own.map(({ id: _id, entity_id, check_id, ...rest }) => ({
      ...rest,
      group,
      ...(entity_id !== null && { entity_id }),
      ...(check_id !== null && { check_id }),
    })),
  );
  return { ...page, components };
}

/** Groups the rows. A row keeps the id of a component of the same name, or else of the same entity or check. Pure. */
function groupsFrom(rows: readonly ComponentRow[], page: Pick<StatusPage, 'groups'> | undefined) {
  const known = page?.groups.flatMap(({ components }) => components) ?? [];
  const taken = new Set<string>();
  const components = rows.map(({ group = '', ...row }) => {
    const shows = (one: (typeof known)[number]) =>
      (row.entity_id !== undefined && one.entity_id === row.entity_id) ||
      (row.check_id !== undefined && one.check_id === row.check_id);
    const free = known.filter(({ id }) => !taken.has(id));
    const same = free.find((one) => shows(one) && one.name === row.name) ?? free.find((one) => one.name === row.name);
    const before = same ?? free.find(shows);
    if (before) taken.add(before.id);
    return { group, component: { ...(before && { id: before.id }), ...row } };
  });
  return [...Map.groupBy(components, ({ group }) => group)].map(([name, own]) => ({
    name,
    components: own.map(({ component }) => component),
  }));
}

/** Converts the body that the form builds to a request body. Pure. */
export function pageBody(body: Readonly<Record<string, unknown>>, page: StatusPage | undefined) {
  const { components, history_days, description, ...rest } = body;
  return {
    ...rest,
    // A select returns text. A null description would mean unchanged.
    ...(history_days !== undefined && { history_days: Number(history_days) }),
    ...(description !== undefined && { description: description ?? '' }),
    ...(Array.isArray(components) && { groups: groupsFrom(components, page) }),
  };
}
