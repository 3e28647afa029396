const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Encodings in which programs echo a text, by name. */
export const ENCODINGS: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'in JSON': inJson,
  'in JSON with escaped slashes': (text) => inJson(text).replaceAll('/', '\\/'),
  'in JSON in JSON': (text) => inJson(inJson(text)),
  'percent-encoded': encodeURIComponent,
  'in a form': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
  'in hex': (text) => Buffer.from(text).toString('hex'),
  'in HTML': (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!),
  'in HTML by number': (text) => text.replace(/[^A-Za-z0-9 ]/g, (character) => `&#${character.charCodeAt(0)};`),
};
