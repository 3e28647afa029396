import { useState } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import type { Explanation } from '#console/api/records.ts';
import { Why } from '#console/parts/alerts/explanation.tsx';
import { InstantField } from '#console/parts/instant-field.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';

/** Explains why an alert was or was not sent at a given time. */
export function ExplainAt({ id }: { id: string }) {
  const [opened, open] = useState(false);
  const [at, setAt] = useState('');
  const found = useLoad<Explanation>(
    opened ? `/v1/checks/${id}/explain${at && `?at=${encodeURIComponent(at)}`}` : null,
    {
      about: ({ check_id }) => check_id === id,
    },
  );
  return (
    <Section title="Explain alerts">
      <details class="why-card" open={opened} onToggle={(event) => open(event.currentTarget.open)}>
        <summary>{at ? 'Explanation for this time' : 'Explain now, or another time'}</summary>
        {opened && (
          <>
            <InstantField label="At" value={at} onChange={setAt} hint="Empty: now." />
            <Data of={found}>{(explanation) => <Why explanation={explanation} />}</Data>
          </>
        )}
      </details>
    </Section>
  );
}
