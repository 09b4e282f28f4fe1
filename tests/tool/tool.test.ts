import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../../src/tool/connection.ts';
import { configurationOf, TOOLS } from '../../src/tool/tool.ts';

const CONNECTION: Connection = {
  endpoint: 'https://s3.example.com:8443',
  region: 'svc',
  provider: 'main',
  accessKeyId: 'SVCABCDEFGHIJKLMNOPQ',
  secretAccessKey: 'one-secret_of-forty-characters-0123456789',
  bucket: 'files',
  prefix: 'reports/2025/',
};

/** What each tool needs for path style. */
const PATH_STYLE: Readonly<Record<string, string>> = {
  aws: 'addressing_style = path',
  rclone: 'force_path_style = true',
  restic: '-o s3.bucket-lookup=path',
  cyberduck: 's3.bucket.virtualhost.disable=true',
  s3fs: '-o use_path_request_style',
  duckdb: "URL_STYLE 'path'",
  boto3: '"addressing_style": "path"',
  terraform: 'use_path_style              = true',
};

function configuration(id: string, changes: Partial<Connection> = {}): string {
  return configurationOf(
    TOOLS.find((tool) => tool.id === id)!,
    { ...CONNECTION, ...changes },
  );
}

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))('the configuration of %s', (_name, tool) => {
  it('names the endpoint, the region, the key and the place, and asks for path style', () => {
    const text = configurationOf(tool, CONNECTION);
    expect(text).toContain('s3.example.com');
    expect(text).toContain('8443');
    expect(text).toMatch(/\bsvc\b/);
    expect(text).toContain(CONNECTION.accessKeyId);
    expect(text).toContain(PATH_STYLE[tool.id]);
    if (tool.id !== 'aws') expect(text).toMatch(/files.*reports\/2025|reports\/2025/s);
  });

  it('holds the secret once, or not at all', () => {
    const secret = CONNECTION.secretAccessKey!;
    expect(configurationOf(tool, CONNECTION).split(secret)).toHaveLength(tool.id === 'cyberduck' ? 1 : 2);
    expect(configurationOf(tool, { ...CONNECTION, secretAccessKey: undefined })).not.toContain(secret);
  });

  it('has no line more for a folder with line breaks in its name', () => {
    const lines = (prefix: string) => configurationOf(tool, { ...CONNECTION, prefix }).split(/[\r\n\u2028]/);
    for (const prefix of ['a\nendpoint = https://evil.example/', 'a\r\u2028b/'])
      expect(lines(prefix)).toEqual(lines(''));
  });
});

describe('the configuration of a tool', () => {
  it('quotes the name of a folder for its language', () => {
    const prefix = `it's "$(id)" & \${x} %{y} <b>\\/`;
    expect(configuration('rclone', { prefix })).toContain(`'svc-main:files/it'\\''s "$(id)" & \${x} %{y} <b>\\/'`);
    expect(configuration('duckdb', { prefix })).toContain(`'s3://files/it''s "$(id)" & \${x} %{y} <b>\\/**'`);
    expect(configuration('boto3', { prefix })).toContain(`Prefix="it's \\"$(id)\\" & \${x} %{y} <b>\\\\/"`);
    expect(configuration('terraform', { prefix })).toContain(
      `"it's \\"$(id)\\" & $\${x} %%{y} <b>\\\\/terraform.tfstate"`,
    );
    expect(configuration('cyberduck', { prefix })).toContain(`it's "$(id)" &amp; \${x} %{y} &lt;b&gt;\\/</string>`);
  });

  it('lets rclone look for no bucket, which a key for a folder may not create', () => {
    expect(configuration('rclone')).toContain('no_check_bucket = true');
  });

  it('follows the scheme of the endpoint', () => {
    expect(configuration('duckdb')).toContain('USE_SSL true');
    const plain = { endpoint: 'http://127.0.0.1:8081' };
    expect(configuration('duckdb', plain)).toContain('USE_SSL false');
    expect(configuration('cyberduck', plain)).toContain('<key>Scheme</key><string>http</string>');
    expect(configuration('cyberduck', { endpoint: 'https://s3.example.com' })).toContain(
      '<key>Default Port</key><string>443</string>',
    );
  });

  it('names a bucket to be chosen where the key is for all of them', () => {
    expect(configuration('restic', { bucket: '', prefix: '' })).toContain('s3:https://s3.example.com:8443/BUCKET/');
    expect(configuration('boto3', { bucket: '', prefix: '' })).toContain('list_buckets');
  });
});

it('the configuration of the AWS CLI shows a command that older versions understand too', () => {
  expect(configuration('aws')).toContain('aws --profile svc-main --endpoint-url https://s3.example.com:8443 s3 ls ');
});
