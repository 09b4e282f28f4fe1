import type { Command } from 'commander';
import { pipeline } from 'node:stream/promises';
import { parseBytes } from '../argument/byte-option.ts';
import { connect } from '../argument/connect.ts';
import { parseObject, remoteText } from '../argument/remote-path.ts';
import { beginTransfer } from '../../client/transfer-request.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { naming } from '../terminal/failure-text.ts';

type HeadOptions = { readonly lines?: number; readonly bytes?: number };

const LINES = 10;
const NEWLINE = 0x0a;

export function addHead(program: Command, edge: Edge): void {
  program
    .command('head')
    .description('print the beginning of an object')
    .argument('<path>', 'PROVIDER/BUCKET/KEY')
    .option('-n, --lines <number>', `the first lines; default: ${LINES}`, parseLines)
    .option('-c, --bytes <size>', 'the first bytes instead, such as 512 or 1k', parseBytes)
    .addHelpText(
      'after',
      `
Ends the download as soon as it has enough. Required action: \`objects:get\`.

Examples:
  svc head main/reports/q1.csv
  svc head -c 4 main/photos/sea.png | xxd`,
    )
    .action(async (path: string, { lines, bytes }: HeadOptions, command: Command) => {
      if (lines !== undefined && bytes !== undefined) throw usageFault('give either `--lines` or `--bytes`');
      const object = parseObject(path);
      const connection = await connect(edge, command);
      const { body } = await naming(remoteText(object), () =>
        beginTransfer(connection, 'download', object, { headers: {} }),
      );
      const first = bytes === undefined ? firstLines(lines ?? LINES) : firstBytes(bytes);
      await pipeline(body, first, edge.stdout, { end: false });
    });
}

type Cut = (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, void, void>;

function firstBytes(bytes: number): Cut {
  return async function* cut(source) {
    let left = bytes;
    if (left === 0) return;
    for await (const chunk of source) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0) return;
    }
  };
}

function firstLines(lines: number): Cut {
  return async function* cut(source) {
    let left = lines;
    if (left === 0) return;
    for await (const chunk of source) {
      let end = 0;
      while (left > 0 && end < chunk.length) {
        const at = chunk.indexOf(NEWLINE, end);
        end = at === -1 ? chunk.length : at + 1;
        if (at !== -1) left -= 1;
      }
      yield chunk.subarray(0, end);
      if (left === 0) return;
    }
  };
}

/** @throws {CliFailure} usage */
function parseLines(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw usageFault(`\`${text}\` is not a number of lines`);
  return Number(text);
}
