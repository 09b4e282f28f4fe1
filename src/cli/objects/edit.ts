import { isUtf8 } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { bytesOf, headerOf, type Connection } from '../../client/connection.ts';
import { beginTransfer, writtenIn } from '../../client/transfer-request.ts';
import { SvcError } from '../../errors/svc-error.ts';
import { shellWord } from '../../tool/quote.ts';
import { changeOnce } from '../../transfer/retry.ts';
import { connect } from '../argument/connect.ts';
import { parseObject, type KeyPath } from '../argument/remote-path.ts';
import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Edge } from '../terminal/edge.ts';
import { failureText } from '../terminal/failure-text.ts';
import { report } from '../terminal/report.ts';

/** As in the web UI. */
const MOST_BYTES = 1_048_576;

type Text = { readonly content: Buffer; readonly etag: string };

export function addEdit(program: Command, edge: Edge): void {
  program
    .command('edit')
    .description('edit a text in your editor')
    .argument('<path>', 'PROVIDER/BUCKET/KEY')
    .addHelpText(
      'after',
      `
Opens a private copy of the object in the editor that VISUAL or EDITOR names
(otherwise vi, on Windows notepad), and uploads it when the editor ends, if it
has changed. Texts in UTF-8 of up to 1 MiB can be edited. Content type, metadata
and tags are kept. Required actions: \`objects:get\` and \`objects:write\`.

Somebody else's change is never overwritten. If the object was changed or
deleted meanwhile, or if the upload fails, the command says where your text is.
The exit status is then 1, or 3 if policy denies the upload.

Examples:
  svc edit main/reports/notes.md
  EDITOR='code --wait' svc edit main/reports/notes.md`,
    )
    .action(async (path: string, _options: object, command: Command) => {
      const object = parseObject(path);
      const connection = await connect(edge, command);
      await requireWrite(connection, object);
      const { content, etag } = await readText(connection, object);
      const folder = await mkdtemp(join(tmpdir(), 'svc-edit-'));
      const file = join(folder, fileNameOf(object.key));
      await writeFile(file, content, { mode: 0o600, flag: 'wx' });
      edge.beforeInterrupt(() => edge.printError(keptAt(file)));
      try {
        await runEditor(edge, file);
        const edited = await readFile(file);
        const isChanged = !edited.equals(content);
        if (isChanged) await replaceContent(connection, object, edited, etag);
        report(edge, command, { ...object, isChanged }, [isChanged ? `saved ${path}` : 'nothing was changed']);
      } catch (error) {
        if (!(await readFile(file)).equals(content)) throw withKeptText(error, object, file);
        await rm(folder, { recursive: true });
        throw error;
      }
      await rm(folder, { recursive: true });
    });
}

/** Asks before somebody writes a text that cannot be saved. */
async function requireWrite(connection: Connection, object: KeyPath): Promise<void> {
  const permitted = await connection.call('permission/list', object);
  if ('actions' in permitted && !permitted.actions.includes('objects:write'))
    throw new SvcError('access_denied', { members: { action: 'objects:write', resource: object } });
}

async function readText(connection: Connection, object: KeyPath): Promise<Text> {
  const response = await beginTransfer(connection, 'download', object, { headers: {} });
  if (Number(headerOf(response, 'content-length')) > MOST_BYTES) {
    response.body.destroy();
    throw new CliFailure(EXIT.failed, 'this object has more than 1 MiB; download it to edit it', 'not_editable');
  }
  const content = await bytesOf(response.body);
  if (!isUtf8(content) || content.includes(0))
    throw new CliFailure(EXIT.failed, 'this object is not text in UTF-8; download it to edit it', 'not_editable');
  return { content, etag: headerOf(response, 'etag').replace(/^W\//, '') };
}

/** Replaces the content of the version that was read, and nothing else of the object. A try whose answer is lost may have done so. */
async function replaceContent(connection: Connection, object: KeyPath, content: Buffer, etag: string): Promise<void> {
  const headers = { 'if-match': etag, 'content-length': String(content.length) };
  await changeOnce(
    async () => {
      await writtenIn(await beginTransfer(connection, 'upload', object, { headers, body: content, keep: true }));
    },
    async (code) => code === 'precondition_failed' && (await readText(connection, object)).content.equals(content),
    connection,
  );
}

/** The last part of the key, so that editors recognise the kind of the text by its ending. */
function fileNameOf(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  return `text-${name.replaceAll(/[^\w.-]/g, '_').slice(-64)}`;
}

/** @throws {CliFailure} when the editor does not start, or ends with a failure. */
async function runEditor({ env }: Pick<Edge, 'env'>, file: string): Promise<void> {
  const isWindows = process.platform === 'win32';
  const editor = env['VISUAL'] || env['EDITOR'] || (isWindows ? 'notepad' : 'vi');
  // The variables hold a command line for the shell, with options.
  const child = isWindows
    ? spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
    : spawn('sh', ['-c', `${editor} "$@"`, editor, file], { stdio: 'inherit' });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0)
    throw new CliFailure(
      EXIT.failed,
      `the editor \`${editor}\` failed, so nothing was saved; set EDITOR to another one`,
    );
}

function keptAt(file: string): string {
  return `your text is in ${file}`;
}

/** The failure, with where the text is and how to go on. */
function withKeptText(error: unknown, { provider, bucket, key }: KeyPath, file: string): CliFailure {
  const { status, code, message } = failureText(error);
  const path = shellWord(`${provider}/${bucket}/${key}`);
  const [what, ...next] =
    code === 'precondition_failed'
      ? [
          'the object was changed meanwhile, so nothing was saved',
          `compare both: svc cat ${path} | diff - ${shellWord(file)}`,
          `then write your changes into the new text: svc edit ${path}`,
        ]
      : code === 'not_found'
        ? [
            'the object was deleted meanwhile',
            `store it again: svc cp ${shellWord(file)} ${shellWord(`svc:${provider}/${bucket}/${key}`)}`,
          ]
        : [message, `once this is solved, write your changes with: svc edit ${path}`];
  return new CliFailure(status, [what, keptAt(file), ...next], code);
}
