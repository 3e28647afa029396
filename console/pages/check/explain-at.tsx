import { useState } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import type { Explanation } from '#console/api/records.ts';
import { Why } from '#console/parts/alerts/explanation.tsx';
import { InstantField } from '#console/parts/instant-field.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';

/** Explains why an alert was or was not sent at a given time. */
export function ExplainAt({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState('');
  const found = useLoad<Explanation>(
    isOpen ? `/v1/checks/${id}/explain${at && `?at=${encodeURIComponent(at)}`}` : null,
    {
      about: ({ check_id }) => check_id === id,
    },
  );
  return (
    <Section title="Explain alerts">
      <details class="why-card" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{at ? 'Explanation for this time' : 'Explanation for now or another time'}</summary>
        {isOpen && (
          <>
            <InstantField label="Time" value={at} onChange={setAt} hint="Default: now." />
            <Data of={found}>{(explanation) => <Why explanation={explanation} />}</Data>
          </>
        )}
      </details>
    </Section>
  );
}
