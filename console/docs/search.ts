/** Search of the docs: loads the index on the first input, and lists the sections that contain all words. */

type Entry = [address: string, title: string, heading: string, text: string];

const MAX_RESULTS = 12;
const EXCERPT_LENGTH = 160;

const input = document.querySelector<HTMLInputElement>('#search')!;
const list = document.querySelector<HTMLOListElement>('#results')!;
let index: Promise<Entry[]> | undefined;

const load = (): Promise<Entry[]> => {
  index ??= fetch(document.body.dataset.search!).then((response) => {
    if (!response.ok) throw new Error(`The search index responded with status ${response.status}.`);
    return response.json();
  });
  return index;
};

/** Returns the score of a section: words in the heading count most, then words in the title; 0 if a word is missing. */
function scoreOf([, title, heading, text]: Entry, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const places = [heading, title, text].map((part) => part.toLowerCase().includes(word));
    if (!places.includes(true)) return 0;
    score += (places[0] ? 8 : 0) + (places[1] ? 4 : 0) + (places[2] ? 1 : 0);
  }
  return score;
}

function excerptOf(text: string, words: readonly string[]): string {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]!) - EXCERPT_LENGTH / 4);
  return `${at > 0 ? '…' : ''}${text.slice(at, at + EXCERPT_LENGTH)}${text.length > at + EXCERPT_LENGTH ? '…' : ''}`;
}

function element<Name extends keyof HTMLElementTagNameMap>(name: Name, text: string): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function show(entries: readonly Entry[], words: readonly string[]): void {
  const items = entries.map(([address, title, heading, text]) => {
    const link = element('a', '');
    link.href = address;
    link.append(
      element('b', title === heading ? title : `${title}: ${heading}`),
      element('span', excerptOf(text, words)),
    );
    const item = element('li', '');
    item.append(link);
    return item;
  });
  list.replaceChildren(...(items.length > 0 ? items : [element('li', 'No results.')]));
  list.hidden = false;
}

async function search(): Promise<void> {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    list.hidden = true;
    return;
  }
  try {
    const found = (await load())
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, MAX_RESULTS);
    show(
      found.map(({ entry }) => entry),
      words,
    );
  } catch {
    index = undefined;
    list.replaceChildren(element('li', 'The search could not be loaded. Try again.'));
    list.hidden = false;
  }
}

function moveFocus(step: number): void {
  const stops = [input, ...list.querySelectorAll('a')];
  const next = stops.indexOf(document.activeElement as HTMLAnchorElement) + step;
  stops[Math.max(0, Math.min(stops.length - 1, next))]?.focus();
}

input.hidden = false;
input.addEventListener('input', () => void search());
input.closest('search')!.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    list.hidden = true;
    input.focus();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    moveFocus(event.key === 'ArrowDown' ? 1 : -1);
  } else if (event.key === 'Enter' && event.target === input) {
    list.querySelector('a')?.click();
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === input) return;
  event.preventDefault();
  input.focus();
});
