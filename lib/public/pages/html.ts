import { createHash } from 'node:crypto';
import { escapeXml } from '#lib/platform/escape-xml.ts';
import { SCRIPT, STYLE } from './style.ts';
import { type Formats, fill, formatsOf, TEXTS } from './texts.ts';
import {
  COMPONENT_STATES,
  type ComponentState,
  type ComponentView,
  type DayView,
  type IncidentView,
  type MaintenanceView,
  type PageState,
  type PageView,
  type PublishedView,
} from './view.ts';

/** Markup. Only `html` and `raw` create it, so that a text cannot be used as markup by accident. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const raw = (text: string): Markup => new Markup(text);

type Part = Markup | string | number | null | readonly Part[];

const textOf = (part: Part): string =>
  part instanceof Markup
    ? part.text
    : Array.isArray(part)
      ? part.map(textOf).join('')
      : part === null
        ? ''
        : escapeXml(String(part));

/** Template tag that escapes every value except markup. */
const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.map((text, i) => text + (i < parts.length ? textOf(parts[i]!) : '')).join(''));

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Returns the content security policy of a page, which allows only its own style, script, JSON and logo. */
const policyOf = (script: string): string =>
  [
    "default-src 'none'",
    `style-src ${hash(STYLE)}`,
    `script-src ${hash(script)}`,
    "connect-src 'self'",
    // An empty icon, and the logo of a preview, are in the page itself.
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

/** Shapes of states, so that they differ without color. */
const SHAPES: Record<PageState | ComponentState, string> = {
  operational: 'M8 0a8 8 0 100 16A8 8 0 008 0zM7 11.5L3.5 8 5 6.5l2 2 4-4L12.5 6z',
  degraded: 'M8 0l8 15H0zM7 5v5h2V5zm0 6v2h2v-2z',
  outage: 'M5 0h6l5 5v6l-5 5H5l-5-5V5zm-.5 6L6.5 8l-2 2L6 11.500l2-2 2 2L11.500 10l-2-2 2-2L10 4.500l-2 2-2-2z',
  partial_outage: 'M5 0h6l5 5v6l-5 5H5l-5-5V5zM7 3v6h2V3zm0 7v2h2v-2z',
  major_outage: 'M5 0h6l5 5v6l-5 5H5l-5-5V5zm-.5 6L6.5 8l-2 2L6 11.500l2-2 2 2L11.500 10l-2-2 2-2L10 4.500l-2 2-2-2z',
  maintenance: 'M0 3h16v10H0zm2 2v6h12V5zm1 1h3v4H3zm4 0h3v4H7z',
  unknown: 'M8 0a8 8 0 100 16A8 8 0 008 0zm0 2a6 6 0 110 12A6 6 0 018 2zM5 7h6v2H5z',
};

const icon = (state: PageState | ComponentState): Markup =>
  html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path fill="currentColor" fill-rule="evenodd" d="${SHAPES[state]}"/></svg>`;

/** Height of a bar, of at most 30, and its class. Kinds differ in both. */
const BARS: Record<ComponentState, { height: number; name: string }> = {
  operational: { height: 22, name: 'o' },
  degraded: { height: 15, name: 'd' },
  outage: { height: 30, name: 'x' },
  maintenance: { height: 9, name: 'm' },
  unknown: { height: 4, name: 'u' },
};
const BAR = { step: 5, width: 4, height: 30 };

type Page = { view: PageView; formats: Formats };

/** Draws a bar for each day, with one path for each kind of day, and below the bars the first date and "today". */
function bars({ name, days }: ComponentView, { view, formats }: Page): Markup {
  const texts = TEXTS[view.page.language];
  const kinds = COMPONENT_STATES.filter((kind) => days.some((day) => day.kind === kind));
  const counts = kinds.map((kind) =>
    fill(texts.day_count, { count: days.filter((day) => day.kind === kind).length, state: texts.component[kind] }),
  );
  const label = fill(texts.days, { name, days: days.length, counts: counts.join(', ') });
  const paths = kinds.map((kind) => {
    const { height, name: style } = BARS[kind];
    const d = days.map((day, i) =>
      day.kind === kind ? `M${i * BAR.step} ${BAR.height}v-${height}h${BAR.width}v${height}z` : '',
    );
    return html`<path class="${style}" d="${d.join('')}"/>`;
  });
  const width = days.length * BAR.step - (BAR.step - BAR.width);
  return html`<svg class="bars" viewBox="0 0 ${width} ${BAR.height}" preserveAspectRatio="none" role="img" aria-label="${label}">${paths}</svg><div class="row soft"><span>${formats.date(days[0]!.date)}</span><span>${texts.today}</span></div>`;
}

const isEvent = ({ kind }: DayView): boolean => kind !== 'operational' && kind !== 'unknown';

function events({ name, days }: ComponentView, { view, formats }: Page): Markup {
  const texts = TEXTS[view.page.language];
  const rows = days.filter(isEvent).toReversed();
  if (rows.length === 0) return raw('');
  return html`<details><summary>${texts.events}: ${rows.length}</summary><table aria-label="${texts.events}: ${name}"><thead><tr><th scope="col">${texts.date}</th><th scope="col">${texts.state}</th></tr></thead><tbody>${rows.map(
    ({ date, kind, down_seconds }) =>
      html`<tr><td>${formats.date(date)}</td><td>${texts.component[kind]}${down_seconds > 0 ? `, ${fill(texts.down_for, { duration: formats.duration(down_seconds) })}` : ''}</td></tr>`,
  )}</tbody></table></details>`;
}

function component(one: ComponentView, page: Page): Markup {
  const { view, formats } = page;
  const texts = TEXTS[view.page.language];
  const { name, description, state, uptime, coverage, latency, days } = one;
  const notes = [
    ...(uptime === null ? [] : [fill(texts.uptime, { percent: formats.percent(uptime), days: days.length })]),
    ...(coverage === null || coverage >= 0.99 ? [] : [fill(texts.monitored, { percent: formats.percent(coverage) })]),
    ...(latency ? [fill(texts.latency, { p50: latency.p50_ms, p95: latency.p95_ms })] : []),
  ];
  return html`<li class="card"><div class="row"><h3>${name}</h3><span class="state ${state}">${icon(state)}${texts.component[state]}</span></div>${
    description === '' ? null : html`<p class="soft">${description}</p>`
  }${days.length > 0 ? bars(one, page) : null}${
    notes.length > 0 ? html`<p class="soft">${notes.join(' · ')}</p>` : null
  }${events(one, page)}</li>`;
}

/** Formats a message: line breaks stay, and https addresses become links. */
const message = (text: string): Markup =>
  raw(
    text
      .split(/(https:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/)
      .map((part, i) =>
        i % 2 === 1
          ? `<a href="${escapeXml(part)}" rel="nofollow noopener">${escapeXml(part)}</a>`
          : escapeXml(part).replaceAll('\n', '<br>'),
      )
      .join(''),
  );

const timeOf = (at: string, { formats }: Page): Markup => html`<time datetime="${at}">${formats.time(at)}</time>`;

/** Returns the HTML of an incident. Its id and the ids of its updates are anchors of permalinks. */
function incident({ id, title, updates }: IncidentView, page: Page): Markup {
  const texts = TEXTS[page.view.page.language];
  return html`<article class="card" id="${id}"><h3>${title}</h3>${updates.map(
    (update) =>
      html`<div class="update" id="${update.id}"><p>${
        update.status === null ? null : html`<strong>${texts.status[update.status]}</strong> · `
      }${message(update.message)}</p>${timeOf(update.at, page)}${
        update.edited_at === null
          ? null
          : html` <span class="soft">(${fill(texts.edited, { time: page.formats.time(update.edited_at) })})</span>`
      }</div>`,
  )}</article>`;
}

function maintenance({ title, starts_at, ends_at, status, component_ids }: MaintenanceView, page: Page) {
  const { view, formats } = page;
  const texts = TEXTS[view.page.language];
  const names = view.groups
    .flatMap(({ components }) => components)
    .filter(({ id }) => component_ids.includes(id))
    .map(({ name }) => name);
  return html`<article class="card"><div class="row"><h3>${title}</h3>${
    status === 'running' ? html`<span class="state maintenance">${icon('maintenance')}${texts.running}</span>` : null
  }</div><p>${names.join(', ')}</p><p class="soft">${fill(texts.from_to, {
    from: formats.time(starts_at),
    to: formats.time(ends_at),
  })}</p></article>`;
}

/** Paths of a page; `logo` of a preview is a `data:` URL. `base`: empty for the root of a host. `script`: its code. */
type Addresses = { base: string; json: string; logo: string | undefined; script?: string };

function head(
  { view, appearance }: Pick<PublishedView, 'view' | 'appearance'>,
  { base, json, script = SCRIPT }: Addresses,
  title: string,
): Markup {
  const { language } = view.page;
  const classes = [appearance.theme, appearance.accent].join(' ');
  return html`<!doctype html><html lang="${language}" class="${classes}" data-as-of="${view.as_of}" data-revision="${view.revision}" data-json="${json}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policyOf(script)}"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><link rel="icon" href="data:,"><link rel="alternate" type="application/atom+xml" href="${base}/feed.atom">${
    appearance.is_indexed ? null : html`<meta name="robots" content="noindex">`
  }<style>${raw(STYLE)}</style></head>`;
}

function foot({ view }: Page, { base, script = SCRIPT }: Addresses, link: { href: string; text: string }): Markup {
  const texts = TEXTS[view.page.language];
  return html`<footer><p><a href="${link.href}">${link.text}</a> · <a href="${base}/feed.atom">${texts.feed}</a> · <a href="${base}/maintenance.ics">${texts.calendar}</a></p></footer><script>${raw(script)}</script></body></html>`;
}

/** Returns the time of the data, and hidden notices that the script shows when needed. */
function freshness({ view, formats }: Page): Markup {
  const texts = TEXTS[view.page.language];
  const time = formats.time(view.as_of);
  return html`<p class="soft">${fill(texts.as_of, { time })}</p><div class="notice" id="old" role="status" hidden>${fill(texts.old, { time })}</div><div class="notice" id="changed" role="status" hidden>${texts.changed} <button type="button">${texts.reload}</button></div>`;
}

function pageHeader(view: PageView, logo: string | undefined): Markup {
  const { title, description, home_url, support_url, language } = view.page;
  return html`<header>${logo === undefined ? null : html`<img class="logo" src="${logo}" alt="">`}<div class="top"><h1>${
    home_url === null ? title : html`<a href="${home_url}" rel="noopener">${title}</a>`
  }</h1>${support_url === null ? null : html`<a href="${support_url}" rel="noopener">${TEXTS[language].support}</a>`}</div>${
    description === '' ? null : html`<p class="soft">${description}</p>`
  }</header>`;
}

/** Returns the HTML of a status page: one file, complete without script. Pure. */
export function statusHtml({ view, appearance }: PublishedView, addresses: Addresses): string {
  const { base, logo } = addresses;
  const { language, time_zone, title } = view.page;
  const texts = TEXTS[language];
  const page = { view, formats: formatsOf(language, time_zone) };
  const groups = view.groups.map(
    ({ name, components }) =>
      html`<section><h2>${name === '' ? texts.components : name}</h2><ul>${components.map((one) => component(one, page))}</ul></section>`,
  );
  return textOf([
    head({ view, appearance }, addresses, title),
    html`<body>`,
    pageHeader(view, logo),
    html`<main><p class="banner ${view.state}">${icon(view.state)}${texts.page[view.state]}</p>${freshness(page)}`,
    view.maintenance.length === 0
      ? null
      : html`<section><h2>${texts.maintenance}</h2>${view.maintenance.map((one) => maintenance(one, page))}</section>`,
    groups,
    html`<section><h2>${texts.incidents}</h2>${
      view.incidents.length === 0
        ? html`<p class="soft">${texts.none}</p>`
        : view.incidents.map((one) => incident(one, page))
    }</section></main>`,
    foot(page, addresses, { href: `${base}/history`, text: texts.history }),
  ]);
}

/** Returns the HTML of the incident history by month, with recent incidents, because permalinks lead to it. Pure. */
export function historyHtml({ view, past, appearance }: PublishedView, addresses: Addresses): string {
  const { base, logo } = addresses;
  const { language, time_zone, title } = view.page;
  const texts = TEXTS[language];
  const formats = formatsOf(language, time_zone);
  const page = { view, formats };
  const months = Map.groupBy([...view.incidents, ...past], ({ started_at }) => formats.month(started_at));
  return textOf([
    head({ view, appearance }, addresses, `${texts.history} · ${title}`),
    html`<body>`,
    pageHeader(view, logo),
    html`<main><h2>${texts.history}</h2>${freshness(page)}`,
    months.size === 0 ? html`<p class="soft">${texts.none}</p>` : null,
    [...months].map(
      ([month, incidents]) => html`<section><h2>${month}</h2>${incidents.map((one) => incident(one, page))}</section>`,
    ),
    html`</main>`,
    foot(page, addresses, { href: base || '/', text: texts.current }),
  ]);
}

/** Returns the HTML for an address without a page: the same for unknown, draft and deleted pages. Pure. */
export const missingHtml = (): string =>
  textOf(
    html`<!doctype html><html lang="en" class="auto blue"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policyOf(SCRIPT)}"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${TEXTS.en.not_found}</title><link rel="icon" href="data:,"><meta name="robots" content="noindex"><style>${raw(STYLE)}</style></head><body><main><h1>${TEXTS.en.not_found}</h1><p>${TEXTS.en.not_found_hint}</p></main></body></html>`,
  );
