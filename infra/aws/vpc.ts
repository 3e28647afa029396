import { type ISubnet, type IVpc, SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { DeploySettings } from './settings.ts';

/** Network of the functions that open connections; undefined: the network of Lambda. */
export type OwnNetwork = Pick<FunctionOptions, 'vpc' | 'vpcSubnets' | 'securityGroups' | 'ipv6AllowedForDualStack'>;

/** Returns the network that VPC_ID and SUBNETS name, without lookups. */
export function makeNetwork(scope: Construct, { VPC_ID, SUBNETS, VPC_IPV6 }: DeploySettings): OwnNetwork | undefined {
  if (VPC_ID === '') return undefined;
  const vpc: IVpc = Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId: VPC_ID, availabilityZones: ['those of SUBNETS'] });
  const subnets = SUBNETS.map((id): ISubnet => Subnet.fromSubnetId(scope, id, id));
  const group = new SecurityGroup(scope, 'Outbound', {
    vpc,
    description: 'Outbound traffic of Fleetwatch, which checks egress itself',
    allowAllOutbound: true,
    allowAllIpv6Outbound: VPC_IPV6,
  });
  return { vpc, vpcSubnets: { subnets }, securityGroups: [group], ...(VPC_IPV6 && { ipv6AllowedForDualStack: true }) };
}

/** Permissions that Lambda needs to attach a function to a VPC, for `*` as in AWSLambdaVPCAccessExecutionRole. */
export const networkRights = (): PolicyStatement =>
  new PolicyStatement({
    actions: [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    resources: ['*'],
  });
