import { describe, expect, it } from '@jest/globals';
import { DEFAULT_OPTIONS, parseOptions } from '../../../scripts/demo/options.ts';

describe('parseOptions', () => {
  it('has a port for everything', () => {
    expect(parseOptions([])).toEqual(DEFAULT_OPTIONS);
  });

  it('takes a port for each part', () => {
    expect(parseOptions(['--port', '1', '--idp-port=2', '--s3-port', '0', '--archive-port', '65535'])).toEqual({ port: 1, idpPort: 2, s3Port: 0, archivePort: 65535 });
  });

  it.each(['x', '', '-1', '65536', '1e3', '80.5'])('refuses `%s` as a port and names the option', (text) => {
    expect(faultOf([`--idp-port=${text}`])).toMatchObject({ code: 'bad_option', message: expect.stringContaining('--idp-port: ') });
  });

  it('shows the usage for an option that there is not', () => {
    expect(faultOf(['--prot', '1'])).toMatchObject({ code: 'bad_option', message: expect.stringContaining('--archive-port N') });
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
