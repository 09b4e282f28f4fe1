import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import manifest from '../../package.json' with { type: 'json' };
import { desktopEntry } from '../../src/desktop/register.ts';
import { SCRIPTS } from '../../src/cli/completion/scripts.ts';
import { manualPages } from '../generate/manual.ts';
import { makeNpmPackage, WITH_THIS_NODE } from './npm-package.ts';

const CHECKOUT = join(import.meta.dirname, '../..');
const PACKAGING = join(CHECKOUT, 'packaging');
/** What Debian calls the processors. */
const DEBIAN: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64', arm: 'armhf' };

/** Where each shell looks for what completes the words of a command. */
const COMPLETIONS = {
  bash: 'bash-completion/completions/svc',
  zsh: 'zsh/vendor-completions/_svc',
  fish: 'fish/vendor_completions.d/svc.fish',
} as const;

const run = promisify(execFile);

/**
 * Packs what lies in `dist`, with the Node that runs this.
 *
 * @param out - a folder.
 * @param level - of the compression, 1 to 9. 9 takes twice as long as 6, and saves less than one percent.
 * @returns the files: a Debian package and a tarball.
 */
export async function makePackages(out: string, level = 6): Promise<string[]> {
  const { version } = manifest;
  const stage = await mkdtemp(join(tmpdir(), 'svc-package-'));
  try {
    await mkdir(out, { recursive: true });
    const root = join(stage, 'debian');
    const whole = join(root, 'usr/lib/svc');
    await install(whole, stage);
    return [await debianPackage(root, { out, version, level }), await tarball(whole, { out, version, level })];
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** The program as it is installed anywhere: `bin/svc` starts `app` with `node`. */
async function install(whole: string, stage: string): Promise<void> {
  await run(
    'npm',
    [
      'install',
      '--prefix',
      stage,
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--omit=dev',
      await makeNpmPackage(stage),
    ],
    { cwd: stage, env: WITH_THIS_NODE },
  );
  const modules = join(stage, 'node_modules');
  await mkdir(whole, { recursive: true });
  await rename(join(modules, 'svc'), join(whole, 'app'));
  await rename(modules, join(whole, 'app/node_modules'));
  await cp(process.execPath, join(whole, 'node'));
  await mkdir(join(whole, 'bin'));
  await writeFile(
    join(whole, 'bin/svc'),
    '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nexec "$here/../node" "$here/../app/bin/svc.js" "$@"\n',
  );
  await chmod(join(whole, 'bin/svc'), 0o755);
}

type Place = { readonly out: string; readonly version: string; readonly level: number };

async function debianPackage(root: string, { out, version, level }: Place): Promise<string> {
  const architecture = DEBIAN[process.arch] ?? process.arch;
  await mkdir(join(root, 'usr/bin'));
  await symlink('../lib/svc/bin/svc', join(root, 'usr/bin/svc'));
  await file(
    join(root, 'usr/share/applications/svc.desktop'),
    desktopEntry({ command: ['svc', 'desktop'], icon: 'svc' }),
  );
  await mkdir(join(root, 'usr/share/icons/hicolor/512x512/apps'), { recursive: true });
  await cp(join(CHECKOUT, 'dist/web/icon-512.png'), join(root, 'usr/share/icons/hicolor/512x512/apps/svc.png'));
  await file(
    join(root, 'DEBIAN/control'),
    `Package: svc\nVersion: ${version}\nArchitecture: ${architecture}\nMaintainer: svc <svc@localhost>\nDepends: libc6 (>= 2.28), libstdc++6, passwd\nRecommends: chromium | google-chrome-stable | microsoft-edge-stable, xdg-utils\nSuggests: gnome-keyring\nSection: net\nPriority: optional\nDescription: browser for S3-compatible object storage\n The service, its command line and the desktop application, with the Node that they run on.\n`,
  );
  for (const unit of ['svc.service', 'svc.socket'])
    await file(join(root, 'usr/lib/systemd/system', unit), await readFile(join(PACKAGING, unit), 'utf8'));
  await file(join(root, 'etc/svc/svc.config.yaml'), await readFile(join(PACKAGING, 'svc.config.yaml'), 'utf8'));
  await chmod(join(root, 'etc/svc/svc.config.yaml'), 0o640);
  await file(join(root, 'DEBIAN/conffiles'), '/etc/svc/svc.config.yaml\n');
  for (const document of ['configuration.md', 'operation.md', 'alerts.yml', 'grafana-dashboard.json'])
    await file(join(root, 'usr/share/doc/svc', document), await readFile(join(CHECKOUT, 'docs', document), 'utf8'));
  for (const page of manualPages(version))
    await file(join(root, 'usr/share/man/man1', `${page.file}.gz`), gzipSync(page.text));
  for (const [shell, path] of Object.entries(COMPLETIONS))
    await file(join(root, 'usr/share', path), SCRIPTS[shell as keyof typeof SCRIPTS]);
  for (const script of ['postinst', 'prerm', 'postrm']) {
    await cp(join(PACKAGING, 'debian', script), join(root, 'DEBIAN', script));
    await chmod(join(root, 'DEBIAN', script), 0o755);
  }
  const target = join(out, `svc_${version}_${architecture}.deb`);
  await run('dpkg-deb', ['--root-owner-group', '-Zgzip', `-z${level}`, '--build', root, target]);
  return target;
}

async function tarball(whole: string, { out, version, level }: Place): Promise<string> {
  const target = join(out, `svc-${version}-${process.platform}-${process.arch}.tar.gz`);
  await run('tar', [
    '-cf',
    target,
    `--use-compress-program=gzip -${level}`,
    '--owner=0',
    '--group=0',
    `--transform=s,^\\.,svc-${version},`,
    '-C',
    whole,
    '.',
  ]);
  return target;
}

async function file(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
