import { MultiSelect } from '@mantine/core';
import { actionNames, type ActionName } from '../../wire/action-names.ts';
import { t } from '../words/words.ts';

type Props = {
  readonly actions: readonly ActionName[];
  readonly onChange: (actions: readonly ActionName[]) => void;
  readonly placeholder: string;
};

/** The form field for the actions of a question. */
export function ActionField({ actions, onChange, placeholder }: Props) {
  return (
    <MultiSelect
      label={t('Actions')}
      data={actionNames}
      value={[...actions]}
      onChange={onChange}
      placeholder={actions.length === 0 ? placeholder : ''}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('Clear the actions') }}
    />
  );
}

/** The actions of a question in the URL. */
export function actionsIn(search: URLSearchParams): readonly ActionName[] {
  return actionNames.filter((name) => search.getAll('action').includes(name));
}
