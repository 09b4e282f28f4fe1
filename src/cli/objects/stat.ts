import type { Command } from 'commander';
import { connect } from '../argument/connect.ts';
import { parseObject, remoteText, type KeyPath } from '../argument/remote-path.ts';
import { headerOf, type Connection } from '../../client/connection.ts';
import { beginTransfer } from '../../client/transfer-request.ts';
import { codeOf } from '../../errors/svc-error.ts';
import type { RpcResult } from '../../wire/rpc.ts';
import { META } from '../../wire/stored-headers.ts';
import type { Edge } from '../terminal/edge.ts';
import { naming } from '../terminal/failure-text.ts';
import { report } from '../terminal/report.ts';
import { columns, sizeText, timeText } from '../terminal/text.ts';

/** Headers of a download that are those of storage. The service sets `cache-control` and `content-disposition` itself. */
const KEPT = ['content-encoding', 'content-language'];

export function addStat(program: Command, edge: Edge): void {
  program
    .command('stat')
    .description('show what is known of an object')
    .argument('<path>', 'PROVIDER/BUCKET/KEY')
    .addHelpText(
      'after',
      `
Shows size, content type, time, ETag, content encoding and language, metadata
and tags. Required action: \`objects:get\`. With --json:
\`{provider, bucket, key, size, etag, lastModified, contentType, headers,
metadata, tags}\`; \`tags\` is null if storage does not tell them.

Examples:
  svc stat main/reports/q1.csv
  svc stat --json main/reports/q1.csv | jq .size`,
    )
    .action(async (path: string, _options: object, command: Command) => {
      const object = parseObject(path);
      const connection = await connect(edge, command);
      const { provider, bucket, key } = object;
      // This call comes first, because the answer to the next one does not say why it fails.
      const head = await naming(remoteText(object), () => connection.call('object/head', { provider, bucket, key }));
      const [{ headers, metadata }, tags] = await Promise.all([
        headersOf(connection, object),
        tagsOf(connection, object),
      ]);
      const { size, etag, lastModified, contentType } = head;
      const rows = [
        ['path', remoteText(object)],
        ['size', `${sizeText(size)} (${size} bytes)`],
        ['type', contentType],
        ['modified', timeText(lastModified)],
        ['etag', etag],
        ...Object.entries(headers),
        ...Object.entries(metadata).map(([name, value]) => ['metadata', `${name}=${value}`]),
        ...(tags ?? []).map((tag) => ['tag', `${tag.key}=${tag.value}`]),
      ];
      report(edge, command, { provider, bucket, ...head, headers, metadata, tags }, columns(rows));
    });
}

type Headers = Record<string, string>;

async function headersOf(connection: Connection, object: KeyPath): Promise<{ headers: Headers; metadata: Headers }> {
  const response = await beginTransfer(connection, 'download', object, { headers: {}, headersOnly: true });
  response.body.destroy();
  const names = Object.keys(response.headers).sort();
  const valuesOf = (which: readonly string[], skipped: number): Headers =>
    Object.fromEntries(which.map((name) => [name.slice(skipped), textOf(headerOf(response, name))]));
  return {
    headers: valuesOf(
      names.filter((name) => KEPT.includes(name)),
      0,
    ),
    metadata: valuesOf(
      names.filter((name) => name.startsWith(META)),
      META.length,
    ),
  };
}

/** The text of a header, each character of which is a byte. Storage keeps any bytes; those that are not UTF-8 are shown as they are. */
function textOf(bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString();
  return text.includes('\ufffd') ? bytes : text;
}

/** @returns null when storage has no tags, or does not tell them. */
async function tagsOf(
  connection: Connection,
  { provider, bucket, key }: KeyPath,
): Promise<RpcResult<'object/tags'>['tags'] | null> {
  try {
    return (await connection.call('object/tags', { provider, bucket, key })).tags;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || code === 'session_required') throw error;
    return null;
  }
}
