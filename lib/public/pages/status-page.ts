import * as z from 'zod';
import type { Audited } from '#lib/audit/write.ts';
import type { Env } from '#lib/env.ts';
import { notFound } from '#lib/platform/errors.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { isId } from '#lib/platform/ids.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { line } from '#lib/platform/text.ts';

/** Maximum number of pages per account, and of groups and components per page. */
export const MAX_PAGES = 10;
const MAX_GROUPS = 20;
const MAX_COMPONENTS = 100;

const MAX_DELAY_SECONDS = 3600;

export const LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];
export const THEMES = ['auto', 'light', 'dark'] as const;
/** Named colors of links and borders; each has enough contrast on both backgrounds (test/unit/public). */
export const ACCENTS = ['blue', 'teal', 'green', 'purple', 'magenta', 'red', 'orange', 'gray'] as const;

const PageSlug = z
  .string()
  .regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    'must consist of lower-case letters, digits and single hyphens, and begin and end with a letter or digit',
  )
  .min(3, 'must have at least 3 characters')
  .max(63, 'must have at most 63 characters');

const HttpsAddress = line(1, 500).refine((value) => {
  const url = URL.parse(value);
  return url?.protocol === 'https:' && url.username === '' && url.password === '';
}, 'must be an https URL without user name and password, such as https://example.com');

const Title = line(1, 120).refine((value) => value.trim() !== '', 'must not be blank');
const EntityId = z.string().describe('Entity whose state it shows.');
const CheckId = z.string().describe('Check whose state it shows.');

const componentSettings = {
  name: Title.describe('Name that visitors see.'),
  description: line(0, 200).default('').describe('Explanation below the name. Default: none.'),
  entity_id: EntityId.nullable().default(null),
  check_id: CheckId.nullable().default(null),
  show_uptime: z.boolean().default(true).describe('Whether to show its uptime and a bar for each day. Default: true.'),
  show_latency: z.boolean().default(false).describe('Whether to show the latency of its check. Default: false.'),
};

const ComponentInput = z
  .object({
    id: z.string().describe('Id of an existing component of the page, to keep or change it. Omit it for a new one.'),
    ...componentSettings,
  })
  .partial({ id: true })
  .refine(({ entity_id, check_id }) => entity_id === null || check_id === null, {
    path: ['check_id'],
    error: 'must not be combined with entity_id; a component shows one of them',
  })
  .refine(({ show_latency, check_id }) => !show_latency || check_id !== null, {
    path: ['show_latency'],
    error: 'needs check_id, because only a check has a latency',
  })
  .meta({ id: 'StatusComponentInput' });
export type ComponentInput = z.output<typeof ComponentInput>;

const Groups = z
  .array(
    z
      .object({
        name: line(0, 120).default('').describe('Heading; empty for none.'),
        components: z
          .array(ComponentInput)
          .min(1, 'must have at least one component')
          .describe('Components, in order.'),
      })
      .meta({ id: 'StatusGroupInput' }),
  )
  .max(MAX_GROUPS, `must have at most ${MAX_GROUPS} groups`)
  .refine(
    (groups) => groups.reduce((sum, { components }) => sum + components.length, 0) <= MAX_COMPONENTS,
    `must have at most ${MAX_COMPONENTS} components in all groups`,
  );

const DESCRIPTIONS = {
  visibility:
    'draft: only the preview. public: at /status/<slug>. link: only at a secret address, and never indexed. ' +
    'Default: draft.',
  groups: `Groups of components: at most ${MAX_GROUPS}, with ${MAX_COMPONENTS} components in all.`,
};

const slug = PageSlug.describe('Last part of its address, unique over all accounts.');
const title = Title.describe('Title that visitors see.');

const optional = {
  description: line(0, 500).describe('Text below the title. Default: none.').exactOptional(),
  visibility: z.enum(['draft', 'public', 'link']).describe(DESCRIPTIONS.visibility).exactOptional(),
  groups: Groups.describe(DESCRIPTIONS.groups).exactOptional(),
  history_days: z
    .literal([30, 60, 90])
    .describe('Number of days of uptime history, with a bar per day. Default: 90.')
    .exactOptional(),
  automatic_incidents: z
    .boolean()
    .describe('Whether incidents of its entities are shown without a published update. Default: true.')
    .exactOptional(),
  automatic_delay_seconds: z
    .int()
    .min(0)
    .max(MAX_DELAY_SECONDS)
    .describe('Minimum duration in seconds of incidents shown without a published update, 0–3,600. Default: 180.')
    .exactOptional(),
  language: z.enum(LANGUAGES).describe('Language of the fixed texts. Default: en.').exactOptional(),
  time_zone: z.string().max(100).describe('IANA time zone of the times on the page. Default: UTC.').exactOptional(),
  theme: z.enum(THEMES).describe('Colors; auto follows the device. Default: auto.').exactOptional(),
  accent: z.enum(ACCENTS).describe('Color of links. Default: blue.').exactOptional(),
  allow_index: z.boolean().describe('Whether search engines may list it. Default: true.').exactOptional(),
  home_url: HttpsAddress.nullable().describe('Address that the title links to; null for none.').exactOptional(),
  support_url: HttpsAddress.nullable().describe('Address of your support; null for none.').exactOptional(),
};

export const NewStatusPage = z.object({ slug, title, ...optional }).meta({ id: 'NewStatusPage' });
export type NewStatusPage = z.output<typeof NewStatusPage>;

type Settings = Required<NewStatusPage>;

export const DEFAULTS: Omit<Settings, 'slug' | 'title'> = {
  description: '',
  visibility: 'draft',
  groups: [],
  history_days: 90,
  automatic_incidents: true,
  automatic_delay_seconds: 180,
  language: 'en',
  time_zone: 'UTC',
  theme: 'auto',
  accent: 'blue',
  allow_index: true,
  home_url: null,
  support_url: null,
};

/** Properties of a page that can be null. */
export const NULLABLE = ['home_url', 'support_url'] as const;

export const StatusPagePatch = z
  .object({
    id: Unchanged.exactOptional(),
    slug: slug.exactOptional(),
    title: title.exactOptional(),
    ...optional,
    rotate_link: z
      .literal(true)
      .describe('Changes the secret address of a page whose visibility is link; the old address stops working.')
      .exactOptional(),
  })
  .meta({ id: 'StatusPagePatch' });
export type StatusPagePatch = z.output<typeof StatusPagePatch>;

export type Component = ComponentInput & { id: string };
export type Group = { name: string; components: Component[] };

/** A status page, up to 60 KB with 100 components. `link_token`: secret part of the address of visibility `link`. */
export type StatusPageItem = Item &
  Omit<Settings, 'groups'> & {
    v: string;
    tenant_id: string;
    id: string;
    groups: Group[];
    link_token: string;
    /** Own domain, set by the operator; used only while the page is public. */
    domain?: string;
    /** File name of its logo, derived from its content. */
    logo?: string;
    created_at: string;
    updated_at: string;
  };

/** Pointer from a slug or a domain to its page. */
export type StatusAddressItem = Item & { v: string; tenant_id: string; page_id: string };

/** Image of a page, in base64. */
export type StatusLogoItem = Item & { v: string; name: string; type: string; data: string };

/** Finds a status page. @throws AppError NOT_FOUND */
export async function requirePage(
  { ports, keys, tenant }: Env<'table'> & { tenant: string },
  id: string,
): Promise<StatusPageItem> {
  const page = isId('pag', id) ? await ports.table.get<StatusPageItem>(keys.statusPage(tenant, id)) : undefined;
  if (!page) throw notFound(`Status page ${id}`);
  return page;
}

export const componentsOf = ({ groups }: Pick<StatusPageItem, 'groups'>): Component[] =>
  groups.flatMap(({ components }) => components);

/** Returns the last part of the address of a page; undefined for a draft. */
export function addressOf({ slug, visibility, link_token }: StatusPageItem): string | undefined {
  if (visibility === 'draft') return undefined;
  return visibility === 'link' ? `${slug}--${link_token}` : slug;
}

/** Returns the folders of the published files: the address of a page, and its domain if public; none for a draft. */
export function foldersOf(page: StatusPageItem): string[] {
  const domain = page.visibility === 'public' ? page.domain : undefined;
  return [addressOf(page), domain].filter((name) => name !== undefined);
}

/** Whether a folder of published files belongs to a domain: other folders have no dot in their name. */
export const isDomain = (folder: string): boolean => folder.includes('.');

const ComponentRecord = z
  .object({
    id: IdOf('the component'),
    ...componentSettings,
  })
  .meta({ id: 'StatusComponent' });

type RecordShape = { [Name in keyof Settings]: z.ZodType<Settings[Name]> };

export const StatusPageRecord = z
  .object({
    id: IdOf('the status page'),
    ...(z.object({ slug, title, ...optional }).required().shape as RecordShape),
    groups: z
      .array(
        z
          .object({
            name: z.string().describe('Heading; empty for none.'),
            components: z.array(ComponentRecord).describe('Components, in order.'),
          })
          .meta({ id: 'StatusGroup' }),
      )
      .describe(DESCRIPTIONS.groups),
    url: z
      .string()
      .nullable()
      .describe('Address for visitors; null for a draft. It is a secret if visibility is link.'),
    domain: z.string().nullable().describe('Own domain, set by the operator; null if it has none.'),
    missing_component_ids: z
      .array(z.string())
      .describe('Components whose entity or check was deleted, so that visitors see unknown.'),
    logo_url: z.string().nullable().describe('Address of its logo; null without one, and for a draft.'),
    published_at: z.iso.datetime().nullable().describe('Time of its last publication; null if it is not published.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'StatusPage' });
export type StatusPageRecord = z.infer<typeof StatusPageRecord>;

export const Logo = z
  .object({
    data: z
      .base64('must be base64')
      .max(140_000, 'must be an image of at most 100 KB')
      .describe('A PNG, JPEG or WebP image of at most 100 KB, in base64.'),
  })
  .meta({ id: 'StatusLogo' });

const settingsOf = (page: StatusPageItem): Record<string, unknown> =>
  Object.fromEntries(namesOf(NewStatusPage.shape).map((name) => [name, page[name]]));

export const auditedStatusPage: Audited<StatusPageItem> = {
  type: 'status_page',
  target: ({ id, title }) => ({ id, name: title }),
  properties: (page) => ({ ...settingsOf(page), domain: page.domain, logo: page.logo, link: page.link_token }),
  shown: (page) => ({ ...settingsOf(page), domain: page.domain, logo: page.logo, link: REDACTED }),
};
