import { Skeleton, Stack } from '@mantine/core';

/** While the code or the first data of a page is on its way. */
export function PageLoading() {
  return (
    <Stack p="lg" gap="md" role="status" aria-label="Loading">
      <Skeleton h={28} w={220} />
      <Skeleton h={96} />
      <Skeleton h={96} />
    </Stack>
  );
}
