import { useState } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import type { Action, Skill } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Page } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { Connect } from './connect.tsx';
import { NoSkills } from './no-skills.tsx';
import { SkillForm } from './skill-form.tsx';
import { SkillView } from './skill-view.tsx';

/** Page of agents: skills, tools, and how to connect a client. */
export default function AgentsPage(_props: PageProps) {
  const skills = useLoad<Skill[]>('/v1/skills', { all: true });
  const actions = useLoad<Action[]>('/v1/actions', { all: true });
  const [isNew, setNew] = useState(false);
  const why = refusal('write');
  return (
    <Page
      title="Agents"
      actions={
        <Button icon="add" why={why} onClick={() => setNew(true)}>
          New skill
        </Button>
      }
    >
      <p class="hint lead">
        Agents see the tools of enabled skills that their key allows. A tool is built in, or runs an action.
      </p>
      <Data of={skills} what="Loading the skills">
        {(found) => (
          <>
            {found.length === 0 && <NoSkills onDone={skills.reload} />}
            {found.map((skill) => (
              <SkillView key={skill.slug} skill={skill} actions={actions.data ?? []} onChange={skills.reload} />
            ))}
            <Connect skills={found} />
          </>
        )}
      </Data>
      {isNew && <SkillForm onClose={() => setNew(false)} onSaved={skills.reload} />}
    </Page>
  );
}
