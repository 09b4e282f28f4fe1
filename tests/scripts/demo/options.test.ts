import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CHECKOUT } from '../../../scripts/demo/folder.ts';
import { DEFAULT_OPTIONS, parseOptions } from '../../../scripts/demo/options.ts';
import { startDemo } from '../../../scripts/demo/start.ts';
import { loadSettings } from '../../../src/config/load.ts';

describe('parseOptions', () => {
  it('has a port for everything', () => {
    expect(parseOptions([])).toEqual(DEFAULT_OPTIONS);
  });

  it('takes a port for each part', () => {
    expect(parseOptions(['--port', '1', '--idp-port=2', '--s3-port', '0', '--archive-port', '65535'])).toEqual({
      port: 1,
      idpPort: 2,
      s3Port: 0,
      archivePort: 65535,
    });
  });

  it.each(['x', '', '-1', '65536', '1e3', '80.5'])('refuses `%s` as a port and names the option', (text) => {
    expect(faultOf([`--idp-port=${text}`])).toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('--idp-port: '),
    });
  });

  it('shows the usage for an option that there is not', () => {
    expect(faultOf(['--prot', '1'])).toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('--archive-port N'),
    });
  });

  it('leaves the help text to the caller', () => {
    expect(parseOptions(['--help'])).toBeUndefined();
  });

  function faultOf(argv: readonly string[]): unknown {
    try {
      return parseOptions(argv);
    } catch (error) {
      return error;
    }
  }
});

describe('the example configuration', () => {
  it('reads what the demo on its usual port writes', () => {
    const { settings } = loadSettings({ file: join(CHECKOUT, 'svc.config.yaml'), env: {} });
    const home = join(CHECKOUT, '.demo', String(DEFAULT_OPTIONS.port));
    expect(settings).toMatchObject({ state: { path: join(home, 'state.db') }, audit: { path: join(home, 'audit') } });
  });
});

describe('startDemo', () => {
  it('says what to do where it cannot write', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'));
    const home = join(folder, 'a file', 'home');
    await writeFile(join(folder, 'a file'), '');
    const started = startDemo({ port: 0, idpPort: 0, s3Port: 0, archivePort: 0 }, { directory: home });
    await expect(started).rejects.toMatchObject({
      code: 'not_writable',
      message: `the demo cannot write to \`${home}\` (ENOTDIR); run it from a checkout that you may write to`,
    });
    await rm(folder, { recursive: true });
  });
});
