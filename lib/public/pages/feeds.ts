import { escapeXml } from '#lib/platform/escape-xml.ts';
import { icalendar, utcText } from '#lib/platform/icalendar.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { fill, formatsOf, TEXTS } from './texts.ts';
import type { IncidentView, OccurrenceView, PublishedView, UpdateView } from './view.ts';

/** Maximum age (ms) and maximum number of the entries of a feed. */
const MAX_AGE_MS = 90 * DAY_MS;
const MAX_ENTRIES = 50;
/** Time (ms) by which a feed lists maintenance ahead of its start. */
const AHEAD_MS = 30 * DAY_MS;

type Entry = { id: string; title: string; text: string; published: string; updated: string; link_suffix: string };

/** Returns the Atom feed (RFC 4287) of a page at `url`. Changes only with its entries, so readers get 304. Pure. */
export function atomFeed({ view, past, occurrences, created_at }: PublishedView, url: string): string {
  const { title, language } = view.page;
  const since = iso(Date.parse(view.as_of) - MAX_AGE_MS);
  const entries = [
    ...[...view.incidents, ...past].flatMap((incident) =>
      incident.updates.map((update) => entryOf(incident, update, language)),
    ),
    ...maintenanceEntries(occurrences, view),
  ]
    .filter(({ published }) => published >= since)
    .toSorted((a, b) => (a.published < b.published ? 1 : a.published > b.published ? -1 : 0))
    .slice(0, MAX_ENTRIES);
  const updated = [created_at, ...entries.map((entry) => entry.updated)].toSorted().at(-1)!;
  const link = (rel: string, type: string, href: string) =>
    `<link rel="${rel}" type="${type}" href="${escapeXml(href)}"/>`;
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">`,
    `<id>${escapeXml(url)}</id>`,
    `<title>${escapeXml(title)}</title>`,
    `<updated>${updated}</updated>`,
    `<author><name>${escapeXml(title)}</name></author>`,
    link('alternate', 'text/html', url),
    link('self', 'application/atom+xml', `${url}/feed.atom`),
    ...entries.map((entry) =>
      [
        '<entry>',
        `<id>${escapeXml(`${url}#${entry.id}`)}</id>`,
        `<title>${escapeXml(entry.title)}</title>`,
        `<published>${entry.published}</published>`,
        `<updated>${entry.updated}</updated>`,
        link('alternate', 'text/html', `${url}${entry.link_suffix}`),
        `<content type="text">${escapeXml(entry.text)}</content>`,
        '</entry>',
      ].join('\n'),
    ),
    '</feed>\n',
  ].join('\n');
}

/** Returns the entry of an update; an edit changes only its text and `updated`. */
function entryOf(
  { title }: IncidentView,
  { id, status, message, at, edited_at }: UpdateView,
  language: PublishedView['view']['page']['language'],
): Entry {
  const heading = status === null ? title : `${TEXTS[language].status[status]}: ${title}`;
  return { id, title: heading, text: message, published: at, updated: edited_at ?? at, link_suffix: `/history#${id}` };
}

/** Returns an entry for each occurrence of maintenance, published at the time from which the page shows it. */
function maintenanceEntries(occurrences: readonly OccurrenceView[], { as_of, page }: PublishedView['view']): Entry[] {
  const texts = TEXTS[page.language];
  const formats = formatsOf(page.language, page.time_zone);
  return occurrences
    .filter(({ from }) => from <= Date.parse(as_of) + AHEAD_MS)
    .map(({ uid, title = texts.scheduled, from, to, names, created_at, updated_at }) => ({
      id: uid,
      title: `${title}: ${names.join(', ')}`,
      text: fill(texts.from_to, { from: formats.time(iso(from)), to: formats.time(iso(to)) }),
      published: iso(Math.max(created_at, from - AHEAD_MS)),
      updated: iso(Math.max(updated_at, from - AHEAD_MS)),
      link_suffix: '',
    }));
}

/** Returns the calendar (RFC 5545) of the maintenance of a page. Pure. */
export const maintenanceCalendar = ({ view, occurrences }: PublishedView): string =>
  icalendar(
    'Status page',
    view.page.title,
    occurrences.map(
      ({ uid, title = TEXTS[view.page.language].scheduled, from, to, names, updated_at, created_at }) => ({
        ...{ uid, from, to, stamp: updated_at },
        // A window has no change counter; the seconds from its creation to its last change serve as one.
        sequence: Math.ceil((updated_at - created_at) / 1000),
        summary: `${title}: ${names.join(', ')}`,
      }),
    ),
  );

/** Returns the id of an occurrence: a one-time window keeps its id if moved, a recurring one has an id per start. */
export const occurrenceId = (window: string, from: number, repeats: boolean): string =>
  repeats ? `${window}-${utcText(from)}` : window;
