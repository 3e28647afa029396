import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { hasNavigated } from '#console/app/router.ts';

type PageProps = {
  title: ComponentChildren;
  /** Where it belongs: links to what is above it. */
  above?: ComponentChildren;
  /** What can be done with the whole of it. */
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** Every page: its heading, which has the focus when one arrives, and what it shows. */
export function Page({ title, above, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // A page that comes in place of its loading takes the focus over from it.
  useEffect(() => {
    if (hasNavigated() && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <header class="page-head">
        <div>
          {above && <p class="above">{above}</p>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

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
