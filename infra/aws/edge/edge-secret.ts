import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/**
 * By which the functions know what came through CloudFront, as the API can also be asked past it. Drawn once, by AWS;
 * CloudFront and the functions get it while they are deployed.
 */
export const makeEdgeSecret = (scope: Construct, key: IKey | undefined): Secret =>
  new Secret(scope, 'EdgeSecret', {
    description: 'Fleetwatch: what CloudFront and the functions know each other by',
    generateSecretString: { passwordLength: 43, excludePunctuation: true },
    removalPolicy: RemovalPolicy.DESTROY,
    ...(key && { encryptionKey: key }),
  });
