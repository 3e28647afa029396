import { iso } from './time.ts';

/** An event of a calendar. Times in epoch ms. */
export type CalendarEvent = {
  uid: string;
  /** Time of the last change. */
  stamp: number;
  from: number;
  to: number;
  summary: string;
  description?: string;
  /** Number that increases with each change. */
  sequence?: number;
};

/** Returns an iCalendar text (RFC 5545), which clients refresh hourly. Pure. @param product last part of PRODID */
export function icalendar(product: string, name: string, events: readonly CalendarEvent[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//Fleetwatch//${product}//EN`,
    `NAME:${escaped(name)}`,
    // NAME of RFC 7986 is unknown to many clients.
    `X-WR-CALNAME:${escaped(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...events.flatMap(linesOf),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

const linesOf = ({ uid, stamp, from, to, summary, description, sequence }: CalendarEvent): string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}@fleetwatch`,
  `DTSTAMP:${utcText(stamp)}`,
  ...(sequence === undefined ? [] : [`SEQUENCE:${sequence}`]),
  `DTSTART:${utcText(from)}`,
  `DTEND:${utcText(to)}`,
  `SUMMARY:${escaped(summary)}`,
  ...(description ? [`DESCRIPTION:${escaped(description)}`] : []),
  // An event of a team or service does not mark the subscribers of the calendar as busy.
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
];

/** Returns a time (epoch ms) in UTC (RFC 5545, 3.3.5): 20260105T080000Z. */
export const utcText = (at: number): string => iso(at).replace(/[-:]|\.\d+/g, '');

/** Escapes a text (RFC 5545, 3.3.11). Names have no line breaks. */
const escaped = (text: string): string => text.replace(/[\\;,]/g, '\\$&');

const MAX_OCTETS = 75;

/** Folds a line between characters, so that no line has more than 75 octets (RFC 5545, 3.1). */
function folded(line: string): string {
  let [result, octets] = ['', 0];
  for (const char of line) {
    const size = Buffer.byteLength(char);
    if (octets + size > MAX_OCTETS) [result, octets] = [`${result}\r\n `, 1];
    result += char;
    octets += size;
  }
  return result;
}
