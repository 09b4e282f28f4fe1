import { Box, Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArchiveOff } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { headQuery } from '../api/head-query.ts';
import type { ObjectRef } from '../api/object-calls.ts';
import { UNARCHIVED_DAYS, unarchive } from '../api/version-calls.ts';
import { t } from '../words/words.ts';

/** Asks storage to bring an archived object back for reading. */
export function Unarchive({ object }: { object: ObjectRef }) {
  const client = useQueryClient();
  const request = useMutation({
    mutationFn: () => unarchive(object),
    onError: (thrown) =>
      notifications.show({
        color: 'red',
        title: t('The storage was not asked to bring the file back'),
        message: explainFailure(failureOf(thrown)),
      }),
    onSettled: () => client.invalidateQueries({ queryKey: headQuery(object).queryKey }),
  });
  return (
    <Box mt="xs">
      <Button
        size="compact-sm"
        variant="light"
        leftSection={<IconArchiveOff size={16} />}
        loading={request.isPending}
        onClick={() => request.mutate()}
      >
        {t('Bring back from the archive')}
      </Button>
      <Text size="sm" c="dimmed" mt={4}>
        {t('It can be opened for {days} days then. This takes minutes to days, and the storage may charge for it.', {
          days: UNARCHIVED_DAYS,
        })}
      </Text>
    </Box>
  );
}
