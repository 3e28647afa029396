import { RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

/**
 * Creates the bucket of the published files. Only CloudFront and the functions reach it. It is deleted with the stack
 * only if it is empty: the files can be made again, but visitors read them.
 */
export const makeBucket = (scope: Construct): Bucket =>
  new Bucket(scope, 'PublicFiles', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    // A key of the operator would need rights for CloudFront, for files that anyone may read.
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
