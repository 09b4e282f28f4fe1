import { CloseButton, Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useState, type RefObject } from 'react';
import { t } from '../words/words.ts';
import classes from './folder-page.module.css';

const SETTLE_MILLISECONDS = 120;

/** Filters the rows by a part of their name. Enter and the down arrow move the focus to the rows; Shift and Enter search the subfolders. */
export function FilterBox({
  initial,
  onFilter,
  onLeave,
  onSearch,
  inputRef,
}: {
  initial: string;
  onFilter: (filter: string) => void;
  onLeave: () => void;
  onSearch: (text: string) => void;
  inputRef: RefObject<HTMLInputElement | null>;
}) {
  const [value, setValue] = useState(initial);
  const settle = useDebouncedCallback(onFilter, SETTLE_MILLISECONDS);
  const change = (next: string) => {
    setValue(next);
    settle(next);
  };
  return (
    <TextInput
      ref={inputRef}
      aria-label={t('Filter by name')}
      placeholder={t('Filter by name')}
      value={value}
      className={classes.filter}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          if (value !== '') change('');
          onLeave();
        } else if (event.key === 'Enter' && event.shiftKey) {
          onSearch(value);
        } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
          event.preventDefault();
          settle.flush();
          onLeave();
        }
      }}
      leftSection={<IconFilter size={16} />}
      rightSection={
        value === '' ? (
          <Kbd size="xs" aria-hidden visibleFrom="sm">
            /
          </Kbd>
        ) : (
          <CloseButton size="sm" aria-label={t('Clear the filter')} onClick={() => change('')} />
        )
      }
    />
  );
}
