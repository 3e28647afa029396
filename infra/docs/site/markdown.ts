import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { ADDRESSES } from './contents.ts';

type Heading = { depth: number; text: string; anchor: string };
/** A rendered page. `sections`: plain text by heading, for the search. */
export type Rendered = {
  title: string;
  html: string;
  headings: Heading[];
  sections: { heading: Heading; text: string }[];
};

/** Escapes text for HTML content and attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Returns the anchor of a heading as on GitHub, such as `alert-rules` for `Alert rules`. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

function plainText(token: Tokens.Generic): string {
  if (token.type === 'html' || token.type === 'image') return '';
  if (token.type === 'table') {
    const rows = [token.header, ...token.rows] as Tokens.TableCell[][];
    return rows.map((cells) => cells.map(({ tokens }) => tokens.map(plainText).join('')).join(' ')).join('\n');
  }
  if (token.type === 'list') return (token.items as Tokens.Generic[]).map(plainText).join('\n');
  if (token.tokens) return token.tokens.map(plainText).join(token.type === 'list_item' ? ' ' : '');
  return 'text' in token ? String(token.text) : '';
}

/** Renders a page without images; links to files outside the site become text. @param file path in the repository */
export function renderMarkdown(markdown: string, file: string): Rendered {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(markdown);
  const headings: Heading[] = [];
  const sections: Rendered['sections'] = [];
  const taken = new Map<string, number>();
  for (const token of tokens) {
    if (token.type === 'heading') {
      const text = plainText(token);
      const base = anchorOf(text);
      const count = taken.get(base) ?? 0;
      taken.set(base, count + 1);
      const heading = { depth: token.depth, text, anchor: count === 0 ? base : `${base}-${count}` };
      headings.push(heading);
      sections.push({ heading, text: '' });
    } else {
      const last = sections.at(-1);
      if (last) last.text += `${plainText(token as Tokens.Generic)}\n`;
    }
  }
  const remaining = [...headings];
  marked.use({
    renderer: {
      heading({ tokens: inner, depth }) {
        const { anchor } = remaining.shift()!;
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${this.parser.parseInline(inner)}</a></h${depth}>\n`;
      },
      link({ href, tokens: inner }) {
        const text = this.parser.parseInline(inner);
        const address = addressOf(href, file);
        return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
      },
      // Without tabindex, some browsers cannot scroll a wide block with the keyboard.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      image: () => '',
      html: () => '',
      table(token) {
        const row = (cells: Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const title = headings.find(({ depth }) => depth === 1)?.text;
  if (title === undefined) throw new Error(`${file} has no heading of the first level.`);
  return { title, html: marked.parser(tokens), headings, sections };
}

/** Returns the address of a link; undefined if it leads to a file that the site does not show. */
function addressOf(href: string, file: string): string | undefined {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const address = ADDRESSES.get(posix.join(posix.dirname(file), path));
  return address && (anchor === undefined ? address : `${address}#${anchor}`);
}
