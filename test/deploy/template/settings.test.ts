import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { functionIn, ofType, synthesize } from './synthesized.ts';

const OWN = { DOMAIN_NAME: 'fleet.example.com', CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:111122223333:certificate/a' };

const STATUS = {
  STATUS_DOMAINS: 'status.acme.com,status.example.com',
  STATUS_CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:111122223333:certificate/b',
};

describe('settings', () => {
  it('warn at synthesis if alarms have no recipient', () => {
    const warnings = (settings: Record<string, string>) =>
      Annotations.fromStack(synthesize(settings).stack).findWarning('*', Match.stringLikeRegexp('ALARM_EMAIL'));
    expect(warnings({})).toHaveLength(1);
    expect(warnings({ ALARM_EMAIL: 'ops@example.com' })).toEqual([]);
  });

  it.each([
    [{ MIN_INTERVAL_SECONDS: '0' }, 'MIN_INTERVAL_SECONDS'],
    [{ LOG_RETENTION_DAYS: '31' }, 'LOG_RETENTION_DAYS'],
    [{ RESERVED_CONCURRENCY: 'ingst=5' }, 'ingst=5'],
    [{ DOMAIN_NAME: 'fleet.example.com' }, 'CERTIFICATE_ARN'],
    [{ ...OWN, CERTIFICATE_ARN: OWN.CERTIFICATE_ARN.replace('us-east-1', 'eu-west-1') }, 'CERTIFICATE_ARN'],
    [{ ...STATUS, STATUS_CERTIFICATE_ARN: '' }, 'STATUS_DOMAINS and STATUS_CERTIFICATE_ARN: set both or neither.'],
    [{ ...STATUS, STATUS_DOMAINS: '' }, 'STATUS_DOMAINS and STATUS_CERTIFICATE_ARN: set both or neither.'],
    [{ ...STATUS, STATUS_DOMAINS: '*.acme.com' }, 'STATUS_DOMAINS: must be names without scheme, port and path'],
    [
      { ...STATUS, STATUS_CERTIFICATE_ARN: 'arn:aws:acm:eu-west-1:111122223333:certificate/b' },
      'STATUS_CERTIFICATE_ARN: the ARN of a certificate in us-east-1',
    ],
    [{ ...STATUS, CDN: 'false' }, 'STATUS_DOMAINS needs CloudFront: remove STATUS_DOMAINS, or set CDN to true.'],
    [
      { ...STATUS, ...OWN, STATUS_DOMAINS: 'Fleet.example.com' },
      'STATUS_DOMAINS: remove fleet.example.com, which is the DOMAIN_NAME of the service.',
    ],
    [{ CHECK_EGRESS: 'all' }, 'CHECK_EGRESS'],
    [{ CDN: 'no' }, 'CDN'],
    [{ ...OWN, CDN: 'false' }, 'DOMAIN_NAME'],
    [{ CHECK_EGRES: 'any' }, 'CHECK_EGRES is not known; did you mean CHECK_EGRESS'],
    [{ LOG_RETENTION: '30' }, 'LOG_RETENTION is not known; did you mean LOG_RETENTION_DAYS'],
    [{ log_level: 'info' }, 'log_level is not known; did you mean LOG_LEVEL'],
    [{ NATS_URL: 'nats://a.example.com' }, 'NATS_URL is not known; did you mean NATS_URL_SECRET'],
    [{ SMTP_URL: 'smtp://a.example.com' }, 'SMTP_URL is not known; did you mean SMTP_URL_SECRET'],
    [{ SMTP_URL_SECRET: 'smtp' }, 'SMTP_URL_SECRET and MAIL_FROM: set both or neither'],
    [{ SMTP_URL_SECRET: 'smtp', MAIL_FROM: 'a@example.com' }, 'SMTP_URL_SECRET: needs DOMAIN_NAME or PUBLIC_URL'],
    [{ OIDC_CLIENT_SECRET: 'secret' }, 'OIDC_CLIENT_SECRET is not known'],
    [{ OIDC_ISSUER: 'http://localhost:8080', OIDC_CLIENT_ID: 'fleetwatch' }, 'OIDC_ISSUER: must begin with https://'],
    [{ OIDC_ISSUER: 'https://login.example.com' }, 'OIDC_CLIENT_ID: is missing'],
    [{ OIDC_SECRET: 'oidc' }, 'OIDC_SECRET: needs OIDC_ISSUER'],
    [{ BUDGET_DOLLARS: '50' }, 'BUDGET_DOLLARS: needs ALARM_EMAIL'],
    [{ TABLE_MAX_WRITES: '99' }, 'TABLE_MAX_WRITES'],
  ])('reject %o with a message that names the setting', (settings, named) => {
    expect(() => synthesize(settings)).toThrow(named);
  });

  it('reach every function; the secrets of NATS and mail reach only the deliverer', () => {
    const PUBLIC_URL = 'https://status.example.com';
    const secrets = { NATS_URL_SECRET: 'nats', SMTP_URL_SECRET: 'smtp', MAIL_FROM: 'alerts@example.com', PUBLIC_URL };
    const { template: set } = synthesize({ EGRESS_ALLOW: '10.0.0.0/8', BUCKETS: '8', ...secrets });
    for (const one of Object.values(set.findResources('AWS::Lambda::Function'))) {
      const { Variables } = one.Properties.Environment;
      expect(Variables).toMatchObject({ EGRESS_ALLOW: '10.0.0.0/8', BUCKETS: '8', CHECK_EGRESS: 'public' });
      const isDeliverer = one.Properties.Description === 'Fleetwatch deliverer';
      expect([Variables.NATS_URL_SECRET, Variables.SMTP_URL_SECRET]).toEqual(
        isDeliverer ? ['nats', 'smtp'] : [undefined, undefined],
      );
      expect(JSON.stringify(Variables)).not.toContain('resolve:secretsmanager:nats');
    }
  });

  it('pass the client secret of the identity provider only to the sign-in function', () => {
    const given = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'fleetwatch', OIDC_SECRET: 'oidc' };
    const { template: set } = synthesize(given);
    for (const one of Object.values(set.findResources('AWS::Lambda::Function'))) {
      const { Variables } = one.Properties.Environment;
      expect(Variables).toMatchObject({ OIDC_ISSUER: 'https://login.example.com', OIDC_TRUST_EMAIL: 'false' });
      const signsIn = one.Properties.Description === 'Fleetwatch sign-in';
      expect(Variables.OIDC_CLIENT_SECRET_SECRET).toBe(signsIn ? 'oidc' : undefined);
    }
  });

  it('allow no MCP streams with a CONCURRENCY below 100, unless their number is given', () => {
    const streams = (given: Record<string, string>) =>
      functionIn(synthesize(given).template, 'mcp').Environment.Variables.MCP_STREAMS_PER_KEY;
    expect(streams({ CONCURRENCY: '99' })).toBe('0');
    expect(streams({ CONCURRENCY: '99', MCP_STREAMS_PER_KEY: '1' })).toBe('1');
    expect(streams({ CONCURRENCY: '100' })).toBe('3');
  });

  it('allow a function to read only the secrets that it uses', () => {
    const { template: set } = synthesize({ NATS_URL_SECRET: 'prod/nats' });
    const readers = ofType(set, 'AWS::IAM::Role').filter((role) =>
      JSON.stringify(role.Policies ?? []).includes('secretsmanager:GetSecretValue'),
    );
    expect(readers.map((role) => role.Description)).toEqual(['Permissions of the Fleetwatch function deliverer']);
    expect(JSON.stringify(readers[0].Policies)).toContain(':secret:prod/nats-??????');
  });

  it.each(['nats@7b1c4f0e-0d0e-4f5b-9d55-1f2d3c4b5a69', 'nats@', '@', 'na ts'])('reject %j as a secret', (secret) => {
    expect(() => synthesize({ NATS_URL_SECRET: secret })).toThrow('NATS_URL_SECRET');
  });

  it('are optional: the default stack is named fleetwatch and outputs its addresses', () => {
    const { template, stack } = synthesize();
    const outputs = Object.keys(template.toJSON().Outputs);
    expect(outputs).toEqual(expect.arrayContaining(['Url', 'McpUrl', 'ApiUrl', 'TableName', 'BusName', 'AlarmTopic']));
    expect(stack.stackName).toBe('fleetwatch');
  });
});
