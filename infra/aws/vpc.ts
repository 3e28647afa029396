import { type ISubnet, type IVpc, SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { DeploySettings } from './settings.ts';

/** Where the functions that open connections of their own stand; undefined: in Lambda's own network. */
export type OwnNetwork = Pick<FunctionOptions, 'vpc' | 'vpcSubnets' | 'securityGroups'>;

/** The operator's network, as VPC_ID and SUBNETS name it. Nothing is looked up. */
export function makeNetwork(scope: Construct, { VPC_ID, SUBNETS }: DeploySettings): OwnNetwork | undefined {
  if (VPC_ID === '') return undefined;
  const vpc: IVpc = Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId: VPC_ID, availabilityZones: ['those of SUBNETS'] });
  const subnets = SUBNETS.map((id): ISubnet => Subnet.fromSubnetId(scope, id, id));
  const group = new SecurityGroup(scope, 'Outbound', {
    vpc,
    description: 'What Fleetwatch reaches: everything that its own guard lets through',
    allowAllOutbound: true,
  });
  return { vpc, vpcSubnets: { subnets }, securityGroups: [group] };
}

/** What Lambda does with a role's rights to put its function into a VPC; none of it is of one resource. */
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
