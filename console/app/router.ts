import { signal } from '@preact/signals';
import { type Address, hrefOf, parseAddress } from '#console/rules/address.ts';

/** Where one is. It changes with the address, by links and by the browser's own buttons. */
export const address = signal<Address>(parseAddress(location.hash));

/** Goes somewhere, as a click on a link does. */
export function go(path: string, query?: Readonly<Record<string, string | undefined>>): void {
  location.hash = hrefOf(path, query);
}

/** Puts another address in place of this one: filters, and what must not stay in the history. */
export function replaceAddress(path: string, query?: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(history.state, '', hrefOf(path, query));
  address.value = parseAddress(location.hash);
}

/** Takes a token out of the bar and the history of the browser, once; the page stays. */
export const hideAddress = (): void => history.replaceState(history.state, '', '#/');

/** Changes some members of the query, in place: the state of filters. An undefined or empty one is taken out. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = address.peek();
  replaceAddress(path, { ...Object.fromEntries(query), ...changes });
}

/** Where one was on each page of this visit, by entries of the history. */
const scrolled = new Map<number, number>();
let entry = 0;

/** The number of this entry of the history; a new one gets the next. */
function entryNumber(): { number: number; isNew: boolean } {
  const known = (history.state as { entry?: number } | null)?.entry;
  if (known !== undefined) return { number: known, isNew: false };
  const number = Date.now();
  history.replaceState({ entry: number }, '');
  return { number, isNew: true };
}

let navigated = false;

/** Whether one has gone anywhere since the console was opened. */
export const hasNavigated = (): boolean => navigated;

/** Follows the address from now on. @param arrived is called behind each navigation to another path */
export function followAddress(arrived: (scrollTo: number) => void): void {
  history.scrollRestoration = 'manual';
  entry = entryNumber().number;
  addEventListener('hashchange', () => {
    scrolled.set(entry, scrollY);
    const { number, isNew } = entryNumber();
    entry = number;
    const before = address.peek().path;
    address.value = parseAddress(location.hash);
    if (before === address.peek().path) return;
    navigated = true;
    arrived(isNew ? 0 : (scrolled.get(number) ?? 0));
  });
}
