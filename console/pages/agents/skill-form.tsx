import { automation } from '#console/api/automation-schemas.ts';
import { call } from '#console/api/call.ts';
import type { Skill } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { withSlug } from '#lib/platform/slug.ts';

type SkillFormProps = {
  skill?: Skill;
  onSaved: () => void;
  onClose: () => void;
};

/** Creates a skill, or changes its name, description and version. */
export const SkillForm = ({ skill, onSaved, onClose }: SkillFormProps) => (
  <Dialog help="skills" title={skill ? `Edit ${skill.name}` : 'New skill'} wide onClose={onClose}>
    <SchemaForm
      name={skill ? `skill ${skill.slug}` : 'skill'}
      schema={automation.skill}
      skip={skill ? ['tools', 'enabled', 'slug'] : ['tools', 'enabled']}
      record={skill}
      {...(!skill && { derive: withSlug })}
      submit={skill ? 'Save' : 'Create'}
      why={refusal('write')}
      send={async (body) => {
        if (skill) await call('PUT', `/v1/skills/${skill.slug}`, body);
        else await call('POST', '/v1/skills', { ...body, tools: [] });
        onClose();
        onSaved();
      }}
      onCancel={onClose}
    />
  </Dialog>
);
