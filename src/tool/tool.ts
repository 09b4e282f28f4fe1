import { NO_SECRET, type Connection } from './connection.ts';
import { hclText, shellWord, sqlText, xmlText } from './quote.ts';

/** A program that speaks S3. */
export type Tool = {
  readonly id: string;
  /** Its name, which is the same in every language. */
  readonly name: string;
  /** The name of a file for its configuration. */
  readonly file: string;
  /** Its configuration for the S3 endpoint, with comments that say where it belongs and how it is tried. */
  readonly configure: (values: Values) => string;
};

/** The connection, with texts in the place of what it leaves out. */
type Values = Connection & {
  readonly secret: string;
  /** The name of the profile, remote or secret. */
  readonly profile: string;
  /** A bucket for the example. */
  readonly inBucket: string;
};

/** The tools for which there is a configuration, in the order of the list. */
export const TOOLS: readonly Tool[] = [
  {
    id: 'aws',
    name: 'AWS CLI, AWS SDKs',
    file: 'aws-config.ini',
    configure: ({ endpoint, region, accessKeyId, secret, profile, bucket, prefix }) => `\
# Add this to ~/.aws/config, then:
# aws --profile ${profile} --endpoint-url ${endpoint} s3 ls${bucket === '' ? '' : ` ${shellWord(`s3://${bucket}/${prefix}`)}`}
# AWS CLI 2.13 and newer need no --endpoint-url.
# SDKs take it with AWS_PROFILE=${profile}. Those for Go, Java,
# JavaScript and Rust also need path style in the code.
[profile ${profile}]
aws_access_key_id = ${accessKeyId}
aws_secret_access_key = ${secret}
region = ${region}
endpoint_url = ${endpoint}
s3 =
  addressing_style = path
  signature_version = s3v4
`,
  },
  {
    id: 'rclone',
    name: 'rclone',
    file: 'rclone.conf',
    configure: ({ endpoint, region, accessKeyId, secret, profile, bucket, prefix }) => `\
# Add this to ~/.config/rclone/rclone.conf.
# rclone lsf ${shellWord(`${profile}:${bucket === '' ? '' : `${bucket}/${prefix}`}`)}
[${profile}]
type = s3
provider = Other
access_key_id = ${accessKeyId}
secret_access_key = ${secret}
endpoint = ${endpoint}
region = ${region}
force_path_style = true
no_check_bucket = true
`,
  },
  {
    id: 'restic',
    name: 'restic',
    file: 'svc-restic.sh',
    configure: ({ endpoint, region, accessKeyId, secret, inBucket, prefix }) => `\
export AWS_ACCESS_KEY_ID=${accessKeyId}
export AWS_SECRET_ACCESS_KEY=${secret}
export AWS_DEFAULT_REGION=${region}
export RESTIC_REPOSITORY=${shellWord(`s3:${endpoint}/${inBucket}/${prefix || 'restic/'}`)}
# The first time: restic -o s3.bucket-lookup=path init
restic -o s3.bucket-lookup=path snapshots
`,
  },
  {
    id: 'cyberduck',
    name: 'Cyberduck',
    file: 'svc.cyberduckprofile',
    configure: (values) => cyberduckProfile(values),
  },
  {
    id: 's3fs',
    name: 's3fs',
    file: 'svc-s3fs.sh',
    configure: ({ endpoint, region, accessKeyId, secret, profile, inBucket, prefix }) => `\
(umask 077 && echo ${accessKeyId}:${secret} > ~/.passwd-s3fs-${profile})
mkdir -p ~/${profile}
s3fs ${shellWord(inBucket + (prefix === '' ? '' : `:/${prefix.replace(/\/$/, '')}`))} ~/${profile} \\
  -o passwd_file="$HOME/.passwd-s3fs-${profile}" \\
  -o url=${endpoint} -o endpoint=${region} -o sigv4 -o use_path_request_style
`,
  },
  {
    id: 'duckdb',
    name: 'DuckDB',
    file: 'svc.sql',
    configure: ({ endpoint, region, accessKeyId, secret, profile, inBucket, prefix }) => `\
INSTALL httpfs;
LOAD httpfs;
CREATE OR REPLACE SECRET ${sqlText(profile, '"')} (
  TYPE s3,
  KEY_ID ${sqlText(accessKeyId)},
  SECRET ${sqlText(secret)},
  ENDPOINT ${sqlText(new URL(endpoint).host)},
  USE_SSL ${String(endpoint.startsWith('https:'))},
  URL_STYLE 'path',
  REGION ${sqlText(region)}
);
FROM glob(${sqlText(`s3://${inBucket}/${prefix}**`)});
`,
  },
  {
    id: 'boto3',
    name: 'boto3',
    file: 'svc_s3.py',
    configure: ({ endpoint, region, accessKeyId, secret, bucket, prefix }) => `\
import boto3
from botocore.config import Config

s3 = boto3.client(
    "s3",
    endpoint_url=${JSON.stringify(endpoint)},
    region_name=${JSON.stringify(region)},
    aws_access_key_id=${JSON.stringify(accessKeyId)},
    aws_secret_access_key=${JSON.stringify(secret)},
    config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
)
${
  bucket === ''
    ? 'print([bucket["Name"] for bucket in s3.list_buckets()["Buckets"]])'
    : `print(s3.list_objects_v2(Bucket=${JSON.stringify(bucket)}, Prefix=${JSON.stringify(prefix)})["KeyCount"])`
}
`,
  },
  {
    id: 'terraform',
    name: 'Terraform',
    file: 'svc.s3.tfbackend',
    configure: ({ endpoint, region, accessKeyId, secret, inBucket, prefix }) => `\
# With terraform { backend "s3" {} } in the code:
# terraform init -backend-config=svc.s3.tfbackend
bucket                      = ${hclText(inBucket)}
key                         = ${hclText(`${prefix}terraform.tfstate`)}
region                      = ${hclText(region)}
endpoints                   = { s3 = ${hclText(endpoint)} }
access_key                  = ${hclText(accessKeyId)}
secret_key                  = ${hclText(secret)}
use_path_style              = true
use_lockfile                = true
skip_credentials_validation = true
skip_metadata_api_check     = true
skip_region_validation      = true
skip_requesting_account_id  = true
`,
  },
];

/** The configuration of a tool. @param profile - the name of the profile, remote or secret. */
export function configurationOf(
  tool: Tool,
  { prefix, ...connection }: Connection,
  profile = `svc-${connection.provider}`,
): string {
  return tool.configure({
    ...connection,
    // A folder whose name has a line break could add lines to the configuration.
    prefix: /[\p{C}\u2028\u2029]/u.test(prefix) ? '' : prefix,
    secret: connection.secretAccessKey ?? NO_SECRET,
    profile,
    inBucket: connection.bucket === '' ? 'BUCKET' : connection.bucket,
  });
}

/** A profile that Cyberduck opens. It has no place for a secret, so Cyberduck asks for it. */
function cyberduckProfile({ endpoint, region, provider, accessKeyId, bucket, prefix }: Values): string {
  const { protocol, hostname, port } = new URL(endpoint);
  const isSecure = protocol === 'https:';
  const strings = {
    Protocol: 's3',
    Vendor: `svc-${provider}`,
    Description: `svc: ${provider}`,
    Scheme: isSecure ? 'https' : 'http',
    'Default Hostname': hostname,
    'Default Port': port || (isSecure ? '443' : '80'),
    'Default Path': bucket === '' ? '/' : `/${bucket}/${prefix}`,
    Region: region,
    'Username Placeholder': 'Access Key ID',
    'Password Placeholder': 'Secret Access Key',
  };
  return `\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Open this file with Cyberduck, and enter the access key ID ${accessKeyId} and its secret. -->
<plist version="1.0">
<dict>
${Object.entries(strings)
  .map(([key, text]) => `  <key>${key}</key><string>${xmlText(text)}</string>\n`)
  .join('')}  <key>Properties</key>
  <array><string>s3.bucket.virtualhost.disable=true</string></array>
</dict>
</plist>
`;
}
