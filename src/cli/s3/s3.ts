import type { Command } from 'commander';
import type { Edge } from '../terminal/edge.ts';
import { addConfigure } from './configure.ts';
import { addCredentialProcess } from './credential-process.ts';
import { addS3Key } from './s3-key.ts';

export function addS3(program: Command, edge: Edge): void {
  const s3 = program
    .command('s3')
    .description('S3 tools: key, configure, credential-process')
    .addHelpText(
      'after',
      `
S3 tools reach the S3 endpoint of the service with a key of yours, which can do
what you may do.

Examples:
  svc s3 configure aws --provider main
  aws --profile svc s3 ls`,
    );
  addS3Key(s3, edge);
  addConfigure(s3, edge);
  addCredentialProcess(s3, edge);
}
