import { key, ofTenant } from './build.ts';
import { SKILLS } from './prefixes.ts';

/** Keys of skills, and of what MCP clients on an open stream are sent. */
export const agentKeys = {
  skills: (tenant: string) => ofTenant(tenant, 'SKILLS'),
  skillCount: (tenant: string) => key(ofTenant(tenant, 'SKILLS'), '!COUNT'),
  skill: (tenant: string, slug: string) => key(ofTenant(tenant, 'SKILLS'), `${SKILLS}${slug}`),
  mcpStreams: (tenant: string) => ofTenant(tenant, 'STREAMS'),
  mcpStream: (tenant: string, apiKey: string, session: string) =>
    key(ofTenant(tenant, 'STREAMS'), `${apiKey}#${session}`),
  mcpOpening: (tenant: string) => key(ofTenant(tenant), 'MCP_OPENING'),
  replyQueue: (tenant: string, session: string) => ofTenant(tenant, 'REPLIES', session),
  /** @param part 0 is the head, which says how many there are */
  replyPart: (tenant: string, session: string, id: string, part: number) =>
    key(ofTenant(tenant, 'REPLIES', session), `${id}#${part}`),
};
