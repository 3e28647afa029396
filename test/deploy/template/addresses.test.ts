import { describe, expect, it } from 'vitest';
import { ALLOWED_HEADERS, EXPOSED_HEADERS } from '#infra/cors.ts';
import { type Json, ofType, synthesize } from './synthesized.ts';

const { template } = synthesize();
const OWN = { DOMAIN_NAME: 'fleet.example.com', CERTIFICATE_ARN: 'arn:aws:acm:us-east-1:111122223333:certificate/a' };

describe('CloudFront', () => {
  it('keeps no error: what one caller was refused is not shown to the next', () => {
    const [{ DistributionConfig: config }] = ofType(template, 'AWS::CloudFront::Distribution');
    const codes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
    expect(config.CustomErrorResponses).toEqual(codes.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })));
  });

  it('has a name of its own to point the domain at, which an output says', () => {
    const [{ id }] = ofType(template, 'AWS::CloudFront::Distribution');
    const outputs = synthesize(OWN).template.toJSON().Outputs;
    expect(outputs.DomainTarget.Value).toEqual({ 'Fn::GetAtt': [id, 'DomainName'] });
    expect(outputs.Url.Value).toBe('https://fleet.example.com');
    expect(template.toJSON().Outputs.DomainTarget).toBeUndefined();
  });
});

describe('pages of a browser at the address that streams', () => {
  const corsOf = (settings: Record<string, string>): Json =>
    ofType(synthesize(settings).template, 'AWS::Lambda::Url')[0].Cors;

  const own = 'https://fleet.example.com';
  const named = { ALLOWED_ORIGINS: '*,https://a.example' };

  it('may ask for all that MCP knows, without cookies', () => {
    expect(corsOf(named)).toEqual({
      AllowOrigins: ['https://a.example'],
      // A DELETE is answered, by 405, and clients want to see that.
      AllowMethods: ['GET', 'POST', 'DELETE'],
      AllowHeaders: [...ALLOWED_HEADERS],
      ExposeHeaders: [...EXPOSED_HEADERS],
      MaxAge: 3600,
    });
  });

  it('come from an origin that is named, or from the domain of the service; others may not even ask', () => {
    expect(corsOf({ ...named, ...OWN }).AllowOrigins).toEqual(['https://a.example', own]);
    expect(corsOf(OWN).AllowOrigins).toEqual([own]);
    expect(corsOf({ ALLOWED_ORIGINS: own, ...OWN }).AllowOrigins).toEqual([own]);
    expect(corsOf({})).toBeUndefined();
  });
});
