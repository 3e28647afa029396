/** Figures by name; the end of the name is the unit. */
export type Figures = Record<string, number>;

/** Maximum of each figure. */
export const targets: Figures = {
  first_load_gzip_kb: 40,
  first_view_ms: 1200,
  filter_ms: 50,
  heap_mb: 12,
  change_seen_ms: 5000,
  repaint_ms: 20,
};
