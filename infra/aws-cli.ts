import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Json, StepError } from '#infra/smoke/call.ts';

class AwsError extends StepError {}

const MAX_BYTES = 16 * 1024 * 1024;

/** Runs the AWS CLI with the credentials of the environment. @returns its JSON, undefined if empty. Throws AwsError. */
export async function aws(words: readonly string[]): Promise<Json> {
  try {
    const { stdout } = await promisify(execFile)('aws', [...words, '--output', 'json'], { maxBuffer: MAX_BYTES });
    return stdout.trim() === '' ? undefined : JSON.parse(stdout);
  } catch (error) {
    const { stderr, message, code } = error as Error & { stderr?: string; code?: string };
    const reason = code === 'ENOENT' ? 'the AWS CLI is not installed' : stderr?.trim() || message;
    throw new AwsError(`aws ${words.slice(0, 2).join(' ')}: ${reason}`);
  }
}

export type DeployedStack = { outputs: Readonly<Record<string, string>>; template: Json };

/** Reads a stack; undefined if it was never deployed successfully. Throws AwsError. */
export async function deployedStack(name: string): Promise<DeployedStack | undefined> {
  const outputs = await stackOutputs(name);
  if (outputs === undefined) return undefined;
  const { TemplateBody: template } = await aws(['cloudformation', 'get-template', '--stack-name', name]);
  return { outputs, template };
}

/** Reads the outputs of a stack; undefined if it was never deployed successfully. Throws AwsError. */
export async function stackOutputs(name: string): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const { Stacks } = await aws(['cloudformation', 'describe-stacks', '--stack-name', name]);
    const [{ StackStatus: status, Outputs: outputs = [] }] = Stacks;
    if (NEVER_DEPLOYED.has(status)) return undefined;
    return Object.fromEntries(outputs.map((one: Json) => [one.OutputKey, one.OutputValue]));
  } catch (error) {
    if (error instanceof AwsError && error.message.includes('does not exist')) return undefined;
    throw error;
  }
}

const NEVER_DEPLOYED = new Set(['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED']);

/** Status of a certificate of ACM (`ISSUED` if usable), and the names that it covers. */
export type Certificate = { status: string; names: string[] };

/** Reads a certificate in us-east-1, where CloudFront requires it. @returns the reason if it cannot be read */
export async function readCertificate(arn: string): Promise<Certificate | string> {
  try {
    const words = ['acm', 'describe-certificate', '--certificate-arn', arn, '--region', 'us-east-1'];
    const { Status: status, SubjectAlternativeNames: names = [] } = (await aws(words)).Certificate;
    return { status, names };
  } catch (error) {
    if (error instanceof AwsError) return error.message;
    throw error;
  }
}
