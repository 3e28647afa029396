import { DOCS } from '#console/rules/docs.ts';

export type Subject = keyof typeof DOCS;

/** Link to the docs of a subject. It opens a new tab, so that a form keeps its input. */
export const HelpLink = ({ to }: { to: Subject }) => (
  <a class="help-link" href={DOCS[to]} target="_blank" rel="noopener">
    Docs
  </a>
);
