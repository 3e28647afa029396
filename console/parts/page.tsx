import type { ComponentChildren } from 'preact';

type PageProps = {
  title: ComponentChildren;
  /** Where it belongs: links to what is above it. */
  above?: ComponentChildren;
  /** What can be done with the whole of it. */
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** Every page: its heading, which has the focus when one arrives, and what it shows. */
export const Page = ({ title, above, actions, children }: PageProps) => (
  <>
    <header class="page-head">
      <div>
        {above && <p class="above">{above}</p>}
        <h1 tabIndex={-1}>{title}</h1>
      </div>
      {actions && <div class="page-actions">{actions}</div>}
    </header>
    {children}
  </>
);

/** A part of a page, with a heading. */
export const Section = ({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <section class="section">
    <header>
      <h2>{title}</h2>
      {actions}
    </header>
    {children}
  </section>
);
