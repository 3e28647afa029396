import { RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { DeploySettings } from './settings.ts';

/**
 * Creates the bucket of the published files. Only CloudFront and the functions reach it. It outlives a protected stack,
 * because visitors read its files; otherwise it is emptied and deleted with the stack.
 */
export const makeBucket = (scope: Construct, { DELETION_PROTECTION }: DeploySettings): IBucket =>
  new Bucket(scope, 'PublicFiles', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    // A KMS key of the operator would have to grant CloudFront access, for files that anyone may read.
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    removalPolicy: DELETION_PROTECTION ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    autoDeleteObjects: !DELETION_PROTECTION,
    // The cast: some optional properties of the class Bucket lack the type `undefined` that IBucket has.
  }) as IBucket;
