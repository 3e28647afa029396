import { address, go, replaceAddress } from './router.ts';

type NewDialog = { isOpen: boolean; open: () => void; close: () => void };

/**
 * Dialog or form for a new record that has an address: `#/alerts/silences?new=silence`. The palette links to it, and the
 * back button closes it.
 * @param why reason that the user cannot open it
 */
export function newDialog(name: string, why: string | undefined): NewDialog {
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
