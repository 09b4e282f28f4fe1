import { Select } from '@mantine/core';
import { TOOLS, type Tool } from '../../tool/tool.ts';
import { t } from '../words/words.ts';

type Props = { readonly tool: Tool; readonly onChange: (tool: Tool) => void; readonly autofocus?: boolean };

export function ToolSelect({ tool, onChange, autofocus = false }: Props) {
  return (
    <Select
      data-autofocus={autofocus || undefined}
      miw={200}
      label={t('Tool')}
      data={TOOLS.map(({ id, name }) => ({ value: id, label: name }))}
      value={tool.id}
      allowDeselect={false}
      onChange={(chosen) => onChange(TOOLS.find(({ id }) => id === chosen) ?? tool)}
    />
  );
}
