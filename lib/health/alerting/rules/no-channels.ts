import type { Rule } from '#lib/alerting/decide/rule.ts';

export const noChannels: Rule = {
  name: 'no_channels',
  kinds: ['state_change', 'repeat', 'catch_up', 'escalation', 'impact', 'acknowledged', 'closed', 'remediation_failed'],
  judge: ({ channels, called_later }) => ({
    stops: channels === 0,
    facts: { channels, ...(called_later !== undefined && { called_later }) },
  }),
};
