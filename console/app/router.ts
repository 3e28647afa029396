import { signal } from '@preact/signals';
import { type Address, hrefOf, parseAddress } from '#console/rules/address.ts';

/** Current address. It follows links and the buttons of the browser. */
export const address = signal<Address>(parseAddress(location.hash));

/** Navigates to a page, as a link does. */
export function go(path: string, query?: Readonly<Record<string, string | undefined>>): void {
  location.hash = hrefOf(path, query);
}

/** Replaces the current address without a new history entry: for filters, closed dialogs, and after a sign-in. */
export function replaceAddress(path: string, query?: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(history.state, '', hrefOf(path, query));
  address.value = parseAddress(location.hash);
}

/** Removes a token from the address bar and the history. */
export const hideAddress = (): void => history.replaceState(history.state, '', '#/');

/** Changes query parameters without a new history entry. An undefined or empty value removes the parameter. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = address.peek();
  replaceAddress(path, { ...Object.fromEntries(query), ...changes });
}

type NewDialog = { isOpen: boolean; open: () => void; close: () => void };

/**
 * Returns the state of a dialog with an address, such as `#/alerts/silences?new=silence`. The back button closes it.
 * @param name value of the query parameter `new` @param why reason that the user cannot open it; undefined if allowed
 */
export function newRecordDialog(name: string, why: string | undefined): NewDialog {
  const { path, query } = address.value;
  const rest = { ...Object.fromEntries(query), new: undefined };
  return {
    isOpen: query.get('new') === name && why === undefined,
    open: () => go(path, { ...rest, new: name }),
    close: () => {
      const { path: current, query: now } = address.peek();
      if (current === path && now.get('new') === name) replaceAddress(path, rest);
    },
  };
}

/** Scroll positions in pixels, by the number of the history entry. */
const scrollPositions = new Map<number, number>();
let currentEntry = 0;

function entryNumber(): { number: number; isNew: boolean } {
  const known = (history.state as { entry?: number } | null)?.entry;
  if (known !== undefined) return { number: known, isNew: false };
  const number = Date.now();
  history.replaceState({ entry: number }, '');
  return { number, isNew: true };
}

let navigated = false;

export const hasNavigated = (): boolean => navigated;

/** Follows changes of the address. @param arrived is called after each navigation to another path */
export function followAddress(arrived: (scrollTo: number) => void): void {
  history.scrollRestoration = 'manual';
  currentEntry = entryNumber().number;
  addEventListener('hashchange', () => {
    scrollPositions.set(currentEntry, scrollY);
    const { number, isNew } = entryNumber();
    currentEntry = number;
    const before = address.peek().path;
    address.value = parseAddress(location.hash);
    if (before === address.peek().path) return;
    navigated = true;
    arrived(isNew ? 0 : (scrollPositions.get(number) ?? 0));
  });
}
