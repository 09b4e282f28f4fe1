import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { browserPaths, findBrowser } from '../../src/desktop/installed-browser.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-browsers-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('findBrowser', () => {
  it('looks where each system installs Chromium, Chrome and Edge', () => {
    expect(browserPaths('linux', { PATH: '/opt/bin:relative' })).toEqual(
      expect.arrayContaining([
        '/opt/bin/chromium',
        '/usr/bin/google-chrome-stable',
        '/usr/bin/microsoft-edge-stable',
        '/snap/bin/chromium',
      ]),
    );
    expect(browserPaths('linux', { PATH: 'relative' }).every((path) => path.startsWith('/'))).toBe(true);
    expect(browserPaths('darwin', { HOME: '/Users/ada' })).toEqual(
      expect.arrayContaining([
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Users/ada/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
      ]),
    );
    expect(browserPaths('win32', { 'PROGRAMFILES(X86)': 'C:\\Program Files (x86)' })).toContain(
      'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
    );
  });

  it('takes the first one that is installed, and the chosen one before any', async () => {
    const [chromium, chrome] = [join(folder, 'chromium'), join(folder, 'google-chrome')];
    for (const file of [chromium, chrome]) {
      await writeFile(file, '#!/bin/sh\n');
      await chmod(file, 0o755);
    }
    expect(findBrowser(chrome, {})).toBe(chrome);
    expect(findBrowser(undefined, { PATH: `${join(folder, 'none')}:${folder}` }, 'linux')).toBe(chromium);
  });

  it('says what to install where there is none, and what is wrong with a chosen one', () => {
    expect(() => findBrowser(undefined, { PROGRAMFILES: folder }, 'win32')).toThrow(
      'no browser was found that can draw the window; install Chromium, Chrome or Edge, or give its path with `--browser`',
    );
    expect(() => findBrowser(join(folder, 'none'), {})).toThrow(/there is no program at `.*none`/);
  });
});
