import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { Name } from '../names/name.tsx';
import { baseName, folderOf } from '../place/place.ts';
import { otherKey, type ConflictAnswer, type ConflictQuestion } from '../work/conflict.ts';
import { conflicts } from '../work/work.ts';

/** Asks what to do with a taken name, one question after the other. */
export function ConflictDialog() {
  const questions = useStore(conflicts.questions);
  const [question] = questions;
  return question ? <Question key={question.id} question={question} /> : null;
}

function Question({ question }: { question: ConflictQuestion }) {
  const [forAll, setForAll] = useState(false);
  const folder = folderOf(question.key);

  const answer = (what: ConflictAnswer) => () => {
    conflicts.answer(question.id, what, forAll);
  };

  return (
    <Modal opened centered title="The name is taken" zIndex={400} onClose={answer('skip')} closeButtonProps={{ 'aria-label': 'Skip this file' }}>
      <Stack gap="md">
        <Text style={{ overflowWrap: 'anywhere' }}>
          <strong><Name>{baseName(question.key)}</Name></strong> exists already in {folder === '' ? 'the bucket' : <Name>{folder}</Name>}.
        </Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Keeping both gives the new one a name such as <Name>{baseName(otherKey(question.key, 2))}</Name>.
        </Text>
        <Checkbox label="Do the same for every other taken name of this batch" checked={forAll} onChange={(event) => setForAll(event.currentTarget.checked)} />
        <Group justify="flex-end" gap="xs">
          <Button px="md" variant="default" onClick={answer('skip')}>
            Skip
          </Button>
          <Button px="md" variant="default" onClick={answer('keep-both')} data-autofocus>
            Keep both
          </Button>
          <Button px="md" color="red" onClick={answer('replace')}>
            Replace
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
