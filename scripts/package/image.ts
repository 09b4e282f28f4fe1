import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const CONTAINERFILE = join(import.meta.dirname, '../../packaging/Containerfile');
/** What the programs in the image are linked with. */
const LIBRARIES = 'base-files,libc6,libstdc++6';
const SUITE = 'bookworm';
/** Names are looked up in files first, the account has a name, and nothing of the package manager stays. */
const FINISH = [
  'echo "hosts: files dns" >"$1/etc/nsswitch.conf"',
  'echo "svc:x:10001:10001::/var/lib/svc:/usr/sbin/nologin" >"$1/etc/passwd"',
  'echo "svc:x:10001:" >"$1/etc/group"',
  'rm -rf "$1"/etc/apt "$1"/etc/dpkg "$1"/var/lib/apt "$1"/var/lib/dpkg "$1"/var/cache/* "$1"/var/log/*',
].map((command) => `--customize-hook=${command}`);

const run = promisify(execFile);

/**
 * Makes the container image without a registry: `packaging/Containerfile` on a base of Debian's own packages. Needs root, buildah and mmdebstrap.
 *
 * @param tarball - what `makePackages` made. @returns a file for `podman load` or `docker load`.
 */
export async function makeImage(tarball: string, out: string): Promise<string> {
  const [, version = ''] = /^svc-(.+)-linux-/.exec(basename(tarball)) ?? [];
  const stage = await mkdtemp(join(tmpdir(), 'svc-image-'));
  const buildah = (...args: string[]) =>
    run('buildah', [
      '--root',
      join(stage, 'store'),
      '--runroot',
      join(stage, 'run'),
      '--storage-driver',
      'vfs',
      ...args,
    ]);
  try {
    const context = join(stage, 'context');
    await mkdir(context);
    await copyFile(tarball, join(context, basename(tarball)));
    const base = join(stage, 'base.tar');
    await run('mmdebstrap', ['--quiet', '--variant=extract', `--include=${LIBRARIES}`, ...FINISH, SUITE, base]);
    // mmdebstrap puts those of this machine there when all hooks are done.
    await run('tar', ['--delete', '--file', base, './etc/hostname', './etc/resolv.conf']);
    const container = (await buildah('from', 'scratch')).stdout.trim();
    await buildah('add', container, base, '/');
    await buildah('commit', container, 'localhost/svc-base');
    const name = `localhost/svc:${version}`;
    await buildah(
      'bud',
      '--isolation',
      'chroot',
      '--format',
      'docker',
      '--build-arg',
      'BASE=localhost/svc-base',
      '--tag',
      name,
      '--file',
      CONTAINERFILE,
      context,
    );
    const target = join(out, `svc-${version}-image.tar`);
    await rm(target, { force: true });
    await buildah('push', name, `docker-archive:${target}:${name}`);
    return target;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}
