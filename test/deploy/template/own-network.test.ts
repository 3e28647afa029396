import { describe, expect, it } from 'vitest';
import { type FunctionName, functions, runsInVpc } from '#infra/topology.ts';
import { functionIn, type Json, ofType, synthesize } from './synthesized.ts';

const VPC = { VPC_ID: 'vpc-0a1b2c3d', SUBNETS: 'subnet-0a1b2c3d, subnet-0e1f2a3b' };
const names = Object.keys(functions) as FunctionName[];

describe('VPC of the operator', () => {
  const { template } = synthesize({ ...VPC, CHECK_EGRESS: 'any' });

  it.each(names)('contains %s only if it connects to hosts of tenants', (name) => {
    const { VpcConfig, Environment } = functionIn(template, name);
    const [group] = ofType(template, 'AWS::EC2::SecurityGroup');
    const inside = {
      SubnetIds: ['subnet-0a1b2c3d', 'subnet-0e1f2a3b'],
      SecurityGroupIds: [{ 'Fn::GetAtt': [group.id, 'GroupId'] }],
    };
    expect(VpcConfig).toEqual(runsInVpc(name) ? inside : undefined);
    expect(Environment.Variables.IN_VPC).toBe(runsInVpc(name) ? 'ipv4' : undefined);
    expect(Environment.Variables.CHECK_EGRESS).toBe(functions[name].streams ? 'public' : 'any');
  });

  it('lets only functions inside it create network interfaces', () => {
    const may = ofType(template, 'AWS::IAM::Role').filter((one) =>
      JSON.stringify(one.Policies ?? []).includes('ec2:CreateNetworkInterface'),
    );
    expect(may).toHaveLength(names.filter(runsInVpc).length);
  });

  it('contains no function with a streaming URL, because AWS does not stream responses from a VPC', () => {
    const streaming = ofType(template, 'AWS::Lambda::Url').filter((url) => url.InvokeMode === 'RESPONSE_STREAM');
    expect(streaming).not.toEqual([]);
    const inside = ofType(template, 'AWS::Lambda::Function').filter((one) => one.VpcConfig);
    for (const url of streaming)
      expect(inside.map(({ id }) => id)).not.toContain(url.TargetFunctionArn['Fn::GetAtt'][0]);
    expect(names.filter((name) => functions[name].reaches_out && !runsInVpc(name))).toEqual(['mcp']);
  });

  it('permits egress over IPv6 only with VPC_IPV6', () => {
    const ipv6 = synthesize({ ...VPC, VPC_IPV6: 'true' }).template;
    const { VpcConfig, Environment } = functionIn(ipv6, 'prober');
    expect([VpcConfig.Ipv6AllowedForDualStack, Environment.Variables.IN_VPC]).toEqual([true, 'ipv6']);
    const targets = (of: typeof ipv6) =>
      ofType(of, 'AWS::EC2::SecurityGroup')[0].SecurityGroupEgress.map((one: Json) => one.CidrIpv6 ?? one.CidrIp);
    expect(targets(ipv6)).toEqual(['0.0.0.0/0', '::/0']);
    expect(targets(template)).toEqual(['0.0.0.0/0']);
  });

  it('is not used by default', () => {
    const { template: plain } = synthesize();
    expect(ofType(plain, 'AWS::EC2::SecurityGroup')).toEqual([]);
    for (const name of names) expect(functionIn(plain, name).VpcConfig).toBeUndefined();
  });

  it.each([
    [{ CHECK_EGRESS: 'any' }, 'CHECK_EGRESS'],
    [{ VPC_IPV6: 'true' }, 'VPC_IPV6: needs VPC_ID'],
    [{ VPC_ID: 'vpc-0a1b2c3d' }, 'SUBNETS'],
    [{ SUBNETS: 'subnet-0a1b2c3d' }, 'VPC_ID'],
    [{ ...VPC, SUBNETS: 'sg-0a1b2c3d' }, 'SUBNETS'],
    [{ VPC_ID: 'mine', SUBNETS: 'subnet-0a1b2c3d' }, 'VPC_ID'],
  ])('rejects %o', (settings, named) => {
    expect(() => synthesize(settings)).toThrow(named);
  });
});

describe('EGRESS_ALLOW', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.0/8',
    '0.0.0.0/0',
    '::1',
    '::/0',
    '::ffff:127.0.0.1',
    '169.254.170.2/32',
    'fe80::/64',
    'fd00::/8',
  ])('rejects %s because it contains addresses that tenants must not reach', (EGRESS_ALLOW) => {
    expect(() => synthesize({ EGRESS_ALLOW })).toThrow(/EGRESS_ALLOW.*(loopback|link-local|credentials)/);
  });

  it('rejects an invalid range', () => {
    expect(() => synthesize({ EGRESS_ALLOW: '10.0.0.0/99' })).toThrow('not a range');
  });

  it('accepts networks of the operator', () => {
    const { template } = synthesize({ EGRESS_ALLOW: '10.0.0.0/8,192.168.0.0/16,fd12:3456::/32' });
    const { Variables } = functionIn(template, 'prober').Environment as Json;
    expect(Variables.EGRESS_ALLOW).toBe('10.0.0.0/8,192.168.0.0/16,fd12:3456::/32');
  });
});
