import { createHash } from 'node:crypto';
import type { ApiResult } from '#lib/platform/http/api-event.ts';

/** A page of a link: what it is about, what there is to say, and the button that does it. */
export type LinkPage = { status: number; title: string; says: string[]; button?: string };

const STYLE = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body {
  margin: 0; padding: 24px 16px; font: 16px/1.5 system-ui, sans-serif;
  color: light-dark(#1a1d21, #e6e8ea); background: light-dark(#f6f7f8, #14171a);
}
main {
  max-width: 34rem; margin: 0 auto; padding: 24px; border-radius: 8px;
  border: 1px solid light-dark(#d5d9dd, #363c42); background: light-dark(#fff, #1c2024);
}
h1 { margin: 0 0 12px; font-size: 1.25rem; line-height: 1.3; overflow-wrap: anywhere; }
p { margin: 0 0 12px; overflow-wrap: anywhere; }
button {
  min-height: 48px; width: 100%; margin-top: 12px; padding: 0 20px; font: inherit; font-weight: 600;
  border: 0; border-radius: 6px; cursor: pointer; color: light-dark(#fff, #0b1420); background: light-dark(#1d5fbf, #7db3ff);
}
button:focus-visible { outline: 3px solid light-dark(#1a1d21, #e6e8ea); outline-offset: 2px; }
`;

/** One style, known by its digest, and no script; and nobody may frame it, or read it from another page. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // With no-referrer a form would not say which page it stands on.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
};

/** Its form posts to its own address, which names what is to be done. */
export function pageOf({ status, title, says, button }: LinkPage, request_id: string): ApiResult {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} - Fleetwatch</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${says.map((text) => `<p>${escaped(text)}</p>`).join('\n')}
${button ? `<form method="post"><button type="submit">${escaped(button)}</button></form>` : ''}
</main>
</body>
</html>
`;
  return { statusCode: status, headers: { ...HEADERS, 'x-request-id': request_id }, body };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
