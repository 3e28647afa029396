/** Icon paths in a box of 24 by 24, drawn with a stroke of 2 in the color of the text. */
const ICONS = {
  fleet: 'M4 5h6v6H4zM14 5h6v6h-6zM4 15h6v4H4zM14 15h6v4h-6z',
  incidents: 'M12 3.5 22 20H2zM12 10v4M12 17v.2',
  checks: 'M3 12h4l3-7 4 14 3-7h4',
  catalog: 'M12 3 3 7.5 12 12l9-4.5zM3 12l9 4.5 9-4.5M3 16.5 12 21l9-4.5',
  map: 'M6 6.5a2.5 2.5 0 1 0-.1 0zM18 11.500a2.500 2.500 0 1 0-.1 0zM7 21.500a2.500 2.500 0 1 0-.1 0zM8 5.500l8 3M8.500 18l7.500-7',
  alerts: 'M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4',
  on_call: 'M4 6h16v14H4zM4 10h16M8 3v5M16 3v5M12 13v3h3',
  actions: 'M7 4v16l12-8z',
  agents: 'M5 8h14v11H5zM12 8V4M9 13v1M15 13v1M2 12v4M22 12v4',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  search: 'M10.500 17.500a7 7 0 1 0-.1 0zM15.500 15.500 21 21',
  more: 'M5 12v.2M12 12v.2M19 12v.2',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  done: 'M4 12.500 10 18 20 6',
  down: 'M6 9l6 6 6-6',
  left: 'M15 6l-6 6 6 6',
  right: 'M9 6l6 6-6 6',
  sortUp: 'M12 19V5M6 11l6-6 6 6',
  sortDown: 'M12 5v14M6 13l6 6 6-6',
  menu: 'M4 6h16M4 12h16M4 18h16',
  person: 'M12 12a4 4 0 1 0-.1 0zM4 21a8 8 0 0 1 16 0',
  help: 'M12 21a9 9 0 1 0-.1 0zM9.500 9.500a2.500 2.500 0 1 1 2.500 3v1.500M12 17v.2',
  out: 'M14 4H5v16h9M11 12h10M17 8l4 4-4 4',
  add: 'M12 5v14M5 12h14',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  muted: 'M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4M3 3l18 18',
  pages: 'M5 3h14v18H5zM8 8h8M8 12h8M8 16h5',
  reload: 'M20 12a8 8 0 1 1-2.500-5.800M20 3v5h-5',
} as const;

export type IconName = keyof typeof ICONS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);
