import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { configurationOf, TOOLS, type Tool } from '../../tool/tool.ts';
import { openDialog } from '../actions/dialog.tsx';
import { saveBlob } from '../actions/save.ts';
import type { IssuedKey } from '../admin/key-kinds.ts';
import type { S3Endpoint } from '../session/session.ts';
import { t } from '../words/words.ts';
import { SecretField, ShownOnce } from './shown-once.tsx';
import { placeOfTool } from './tool-scope.ts';
import { ToolSelect } from './tool-select.tsx';

const MAX_ROWS = 14;

/** Shows a new key with the configuration of a tool. */
export function showS3Key(issued: IssuedKey, s3: S3Endpoint, tool: Tool = TOOLS[0]!): void {
  openDialog(t('Your new S3 key'), (close) => <NewS3Key issued={issued} s3={s3} initial={tool} close={close} />, 'lg');
}

type Props = {
  readonly issued: IssuedKey;
  readonly s3: S3Endpoint;
  readonly initial: Tool;
  readonly close: () => void;
};

function NewS3Key({ issued: { key, secret }, s3, initial, close }: Props) {
  const [tool, setTool] = useState(initial);
  const configured = (secretAccessKey: string | undefined) =>
    configurationOf(tool, {
      ...s3,
      ...placeOfTool(key.scope),
      provider: key.provider ?? '',
      accessKeyId: key.id,
      secretAccessKey,
    });
  const text = configured(secret);
  const hasSecret = text.includes(secret);
  const download = (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      onClick={() => saveBlob(new Blob([configured(undefined)]), tool.file)}
    >
      {t('Download without the secret')}
    </Button>
  );
  return (
    <ShownOnce
      copies={hasSecret ? text : secret}
      copyLabel={hasSecret ? t('Copy') : t('Copy the secret')}
      close={close}
      more={download}
    >
      <ToolSelect tool={tool} onChange={setTool} />
      {!hasSecret && <SecretField label={t('Secret access key')} value={secret} rows={1} />}
      <SecretField
        label={t('Configuration')}
        value={text}
        rows={Math.min(text.trimEnd().split('\n').length, MAX_ROWS)}
        isCode
      />
    </ShownOnce>
  );
}
