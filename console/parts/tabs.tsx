/** Tabs of a page, each with its own address. */
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
      <a key={href} href={href} aria-current={href === current ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);
