import { RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

/**
 * Creates the bucket of the published files. Only CloudFront and the functions reach it. It outlives the stack, because
 * visitors read its files.
 */
export const makeBucket = (scope: Construct): IBucket =>
  new Bucket(scope, 'PublicFiles', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    // A key of the operator would need rights for CloudFront, for files that anyone may read.
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN,
    // Its class lacks `undefined` in the types of some optional properties.
  }) as IBucket;
