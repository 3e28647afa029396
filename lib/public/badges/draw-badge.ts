import { escapeXml } from '#lib/platform/escape-xml.ts';

/** Colors by their names at shields.io. */
const COLORS = {
  brightgreen: '#44cc11',
  green: '#97ca00',
  yellow: '#dfb317',
  red: '#e05d44',
  blue: '#007ec6',
  lightgrey: '#9f9f9f',
} as const;

export const STYLES = ['flat', 'flat-square'] as const;
export type Style = (typeof STYLES)[number];

export type BadgeContent = { label: string; message: string; color: keyof typeof COLORS };

/** Widths of the characters from U+0020 to U+007E in Verdana at 11 px, in tenths of a pixel. */
const WIDTHS = [
  39, 43, 50, 90, 70, 118, 80, 30, 50, 50, 70, 90, 40, 50, 40, 50, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 50, 50, 90,
  90, 90, 60, 110, 75, 75, 77, 85, 70, 63, 85, 83, 46, 50, 76, 61, 93, 82, 87, 66, 87, 76, 75, 68, 81, 75, 109, 75, 68,
  75, 50, 50, 50, 90, 70, 70, 66, 69, 57, 69, 66, 39, 69, 70, 30, 38, 65, 30, 107, 70, 67, 69, 69, 47, 57, 43, 70, 65,
  90, 65, 65, 58, 70, 50, 70, 90,
];
/** Characters of East Asian scripts, as wide as the font size, and emoji, a quarter wider. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{20000}-\u{3ffff}]/u;
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
/** Width of other characters, in tenths of a pixel. */
const OTHER = 70;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Estimates the width of a text in Verdana at 11 px, in pixels. Pure. */
export function textWidth(text: string): number {
  let tenths = 0;
  for (const { segment } of graphemes.segment(text)) {
    const base = segment.normalize('NFD');
    if (EMOJI.test(segment)) tenths += 137;
    else if (WIDE.test(segment)) tenths += 110;
    else tenths += WIDTHS[base.charCodeAt(0) - 0x20] ?? OTHER;
  }
  return tenths / 10;
}

const PADDING = 5;

/** Draws a badge as SVG, of at most 1.2 KB for a label of 40 characters. Pure. */
export function badgeSvg({ label, message, color }: BadgeContent, style: Style): string {
  const widths = [label, message].map((text) => Math.round(textWidth(text)));
  const [left, right] = widths.map((width) => width + 2 * PADDING) as [number, number];
  const width = left + right;
  // The length makes a browser without the font fit the text into its part.
  const text = (content: string, center: number, length: number) =>
    `<text x="${center}" y="14" textLength="${length}">${escapeXml(content)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img">`,
    `<title>${escapeXml(`${label}: ${message}`)}</title>`,
    `<clipPath id="r"><rect width="${width}" height="20" rx="${style === 'flat' ? 3 : 0}"/></clipPath>`,
    `<g clip-path="url(#r)"><path fill="#555" d="M0 0h${left}v20H0z"/>`,
    `<path fill="${COLORS[color]}" d="M${left} 0h${right}v20H${left}z"/></g>`,
    '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">',
    text(label, left / 2, widths[0]!),
    text(message, left + right / 2, widths[1]!),
    '</g></svg>',
  ].join('');
}

/** Returns a badge in the endpoint format of shields.io. Pure. */
export const badgeJson = (content: BadgeContent, isError: boolean): string =>
  JSON.stringify({ schemaVersion: 1, ...content, ...(isError && { isError }), cacheSeconds: 60 });
