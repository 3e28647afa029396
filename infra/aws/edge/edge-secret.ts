import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/**
 * Creates the secrets that identify CloudFront, because callers can also reach the API directly. CloudFront sends the
 * first. Functions also accept the second, which is the previous one, so that a rotation rejects no request.
 * @param version EDGE_SECRET_VERSION, part of the logical id, because CloudFormation reads a secret only once
 */
export const makeEdgeSecrets = (scope: Construct, key: IKey | undefined, version: number): Secret[] =>
  (version === 1 ? [1] : [version, version - 1]).map((one) => makeSecret(scope, key, one));

const makeSecret = (scope: Construct, key: IKey | undefined, version: number): Secret =>
  new Secret(scope, version === 1 ? 'EdgeSecret' : `EdgeSecret${version}`, {
    description: 'Fleetwatch: identifies CloudFront to the functions',
    generateSecretString: { passwordLength: 43, excludePunctuation: true },
    removalPolicy: RemovalPolicy.DESTROY,
    ...(key && { encryptionKey: key }),
  });
