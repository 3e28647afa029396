import type { ChannelType } from './channel-type.ts';

const MASK = '********';
/** Shorter parts of an address, such as /api, are no secrets and would riddle a text. */
const SHORTEST_PART = 6;
/** Of a secret at the end of a text that was cut off: fewer characters tell nothing. */
const SHORTEST_TAIL = 4;

/**
 * Takes every secret of a channel out of a text, also where a receiver quotes only the path of its address, or writes it
 * in another way than it was sent. Of a text that is cut off here, scrub first.
 * @param isCut the text ends anywhere: the beginning of a secret at its end goes, too
 */
export function scrub(text: string, type: ChannelType, config: Record<string, string>, isCut = false): string {
  const secrets = type.secrets.flatMap((key) => writings(config[key])).sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return text;
  const tail = isCut ? Math.max(...secrets.map((secret) => tailOf(text, secret))) : 0;
  const whole = tail > 0 ? `${text.slice(0, -tail)}${MASK}` : text;
  return whole.replace(new RegExp(secrets.map(literally).join('|'), 'giu'), MASK);
}

/** How much of the end of a text is the beginning of a secret. */
function tailOf(text: string, secret: string): number {
  const end = text.slice(-secret.length).toLowerCase();
  for (let length = end.length; length >= SHORTEST_TAIL; length--) {
    if (end.endsWith(secret.slice(0, length).toLowerCase())) return length;
  }
  return 0;
}

const literally = (text: string): string => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');

/** A secret and, of an address, its parts, in every way that a receiver may write them. */
function writings(secret: string | undefined): string[] {
  if (!secret) return [];
  const parts = partsOf(secret).flatMap(waysToWrite);
  return [...waysToWrite(secret), ...parts.filter((part) => part.length >= SHORTEST_PART)];
}

function partsOf(secret: string): string[] {
  const url = URL.parse(secret);
  if (!url) return [];
  const { href, pathname, search, hash } = url;
  return [
    href,
    pathname + search,
    pathname,
    search,
    hash,
    ...pathname.split('/'),
    ...search.split(/[?&]/),
    ...search.split(/[?&=]/),
  ].filter((part) => part !== '');
}

/** As it is and percent-decoded, and each of these percent-encoded, in JSON and in HTML. */
function waysToWrite(part: string): string[] {
  const plain = new Set([part, decoded(part), decoded(part.replaceAll('+', ' '))]);
  return [...plain].flatMap((text) => {
    const json = JSON.stringify(text).slice(1, -1);
    return [text, encoded(text), json, json.replaceAll('/', '\\/'), html(text)];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % in it: nobody decodes it to anything.
    return text;
  }
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const html = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
