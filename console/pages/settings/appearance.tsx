import { type Theme, theme, zone } from '#console/app/appearance.ts';
import { SelectField } from '#console/parts/field.tsx';
import { Section } from '#console/parts/page.tsx';
import { type Zone, zoneName } from '#console/rules/time.ts';

/** Display settings of this browser. */
export const Appearance = () => (
  <Section title="Appearance">
    <div class="fields">
      <SelectField
        label="Theme"
        hint="Stored in this browser."
        value={theme.value}
        options={[{ value: 'auto', label: 'system setting' }, 'light', 'dark']}
        onChange={(value) => {
          theme.value = value as Theme;
        }}
      />
      <SelectField
        label="Times"
        hint="Time zone of all displayed times."
        value={zone.value}
        options={[
          { value: 'local', label: `local (${zoneName('local')})` },
          { value: 'utc', label: 'UTC' },
        ]}
        onChange={(value) => {
          zone.value = value as Zone;
        }}
      />
    </div>
  </Section>
);
