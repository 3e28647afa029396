import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/** Creates the secret by which functions recognize requests through CloudFront; the API is reachable directly. */
export const makeEdgeSecret = (scope: Construct, key: IKey | undefined): Secret =>
  new Secret(scope, 'EdgeSecret', {
    description: 'Fleetwatch: identifies CloudFront to the functions',
    generateSecretString: { passwordLength: 43, excludePunctuation: true },
    removalPolicy: RemovalPolicy.DESTROY,
    ...(key && { encryptionKey: key }),
  });
