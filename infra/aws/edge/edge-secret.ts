import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/**
 * Secret by which functions recognize requests through CloudFront, because the API is also reachable directly. AWS
 * generates it once, and the deployment passes it to CloudFront and the functions.
 */
export const makeEdgeSecret = (scope: Construct, key: IKey | undefined): Secret =>
  new Secret(scope, 'EdgeSecret', {
    description: 'Fleetwatch: identifies CloudFront to the functions',
    generateSecretString: { passwordLength: 43, excludePunctuation: true },
    removalPolicy: RemovalPolicy.DESTROY,
    ...(key && { encryptionKey: key }),
  });
