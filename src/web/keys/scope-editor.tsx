import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  MultiSelect,
  Paper,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { AtomicAction } from '../../wire/action-names.ts';
import type { ScopeSelector as Selector } from '../../wire/api-key.ts';
import { ACTION_WORDS } from '../admin/action-words.ts';
import { providersQuery } from '../api/queries.ts';
import { t } from '../words/words.ts';
import { BucketField } from './place-of-key.tsx';
import { newDraft, SELECTOR_NAMES, type DraftRule } from './scope-draft.ts';

const ACTIONS = Object.entries(ACTION_WORDS).map(([value, label]) => ({ value: value as AtomicAction, label }));
const TYPES = Object.entries(SELECTOR_NAMES).map(([value, label]) => ({ value, label }));

type Props = { readonly drafts: readonly DraftRule[]; readonly onChange: (drafts: readonly DraftRule[]) => void };

/** Edits the scope of an API key, with one row per allow rule. */
export function ScopeEditor({ drafts, onChange }: Props) {
  const replace = (changed: DraftRule) => {
    onChange(drafts.map((draft) => (draft.id === changed.id ? changed : draft)));
  };
  return (
    <Stack gap="sm" role="group" aria-label={t('Scope')}>
      <Text size="sm" c="dimmed">
        {t(
          'The key can do what one of these rules allows, and never more than the present policies allow with the groups that you had when you created it. Names are compared exactly: there are no wildcards.',
        )}
      </Text>
      {drafts.map((draft, index) => (
        <RuleRow
          key={draft.id}
          number={index + 1}
          draft={draft}
          onChange={replace}
          {...(drafts.length > 1 ? { onRemove: () => onChange(drafts.filter(({ id }) => id !== draft.id)) } : {})}
        />
      ))}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} />}
        onClick={() => onChange([...drafts, newDraft()])}
        style={{ alignSelf: 'flex-start' }}
      >
        {t('Add a rule')}
      </Button>
    </Stack>
  );
}

function RuleRow({
  number,
  draft,
  onChange,
  onRemove,
}: {
  number: number;
  draft: DraftRule;
  onChange: (draft: DraftRule) => void;
  onRemove?: () => void;
}) {
  const { actions, type, path } = draft;
  const isInBucket = type === 'prefix' || type === 'object';
  return (
    <Paper withBorder p="sm" component="fieldset" aria-label={t('Rule {number}', { number })} m={0} miw={0}>
      <Stack gap="xs">
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <MultiSelect
            flex={1}
            miw={0}
            label={t('Actions')}
            placeholder={actions.length === 0 ? t('Choose actions') : ''}
            data={ACTIONS}
            value={[...actions]}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('Clear the actions') }}
            onChange={(chosen) => onChange({ ...draft, actions: chosen })}
          />
          {onRemove && (
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={t('Remove rule {number}', { number })}
              onClick={onRemove}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
        <Group gap="xs" align="flex-end" grow preventGrowOverflow={false}>
          <Select
            label={t('On')}
            data={TYPES}
            value={type}
            allowDeselect={false}
            miw={150}
            flex={1}
            onChange={(chosen) => onChange({ ...draft, type: chosen as Selector['type'] })}
          />
          {type !== 'all' && <ProviderField draft={draft} onChange={onChange} />}
          {type !== 'all' && type !== 'provider' && (
            <BucketField {...draft} onChange={(bucket) => onChange({ ...draft, bucket })} />
          )}
        </Group>
        {isInBucket && (
          <TextInput
            label={type === 'prefix' ? t('Prefix') : t('Key')}
            {...(type === 'prefix'
              ? {
                  description: t(
                    'For a folder, end the prefix with a slash: photos also matches photos-private, photos/ does not.',
                  ),
                }
              : {})}
            value={path}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange({ ...draft, path: event.currentTarget.value })}
          />
        )}
      </Stack>
    </Paper>
  );
}

type FieldProps = { readonly draft: DraftRule; readonly onChange: (draft: DraftRule) => void };

function ProviderField({ draft, onChange }: FieldProps) {
  const { data } = useQuery(providersQuery);
  const names = data?.map(({ name }) => name) ?? [];
  const [isTyping, setTyping] = useState(false);
  const isUnseen = !isTyping && data !== undefined && draft.provider !== '' && !names.includes(draft.provider);
  return (
    <Autocomplete
      label={t('Provider')}
      miw={130}
      flex={1}
      data={names}
      value={draft.provider}
      onChange={(provider) => onChange({ ...draft, provider })}
      onFocus={() => setTyping(true)}
      onBlur={() => setTyping(false)}
      {...(isUnseen && { description: t('You may not see a provider with this name.') })}
    />
  );
}
