import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { hasNavigated } from '#console/app/router.ts';
import { HelpLink, type Subject } from './help-link.tsx';

type PageProps = {
  title: ComponentChildren;
  above?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** Frame of a page: heading, which gets the focus after navigation, and content. */
export function Page({ title, above, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // A page that replaces its loading state takes over the focus.
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

export const Section = ({
  title,
  help,
  actions,
  children,
}: {
  title: string;
  help?: Subject;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <section class="section">
    <header>
      <h2>{title}</h2>
      {help && <HelpLink to={help} />}
      {actions}
    </header>
    {children}
  </section>
);
