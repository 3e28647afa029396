/** A narrow screen has not room for all: the current one is in sight. */
const reveal = (tab: HTMLElement | null): void => tab?.scrollIntoView({ inline: 'nearest', block: 'nearest' });

/** Parts of a page that have addresses of their own. */
export const Tabs = ({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: { href: string; name: string }[];
  current: string;
}) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ href, name }) => (
      <a
        key={href}
        ref={href === current ? reveal : null}
        href={href}
        aria-current={href === current ? 'page' : undefined}
      >
        {name}
      </a>
    ))}
  </nav>
);
