import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import type { Surroundings } from './action.ts';

export function useSurroundings(clearSelection?: () => void): Surroundings {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMemo(
    () => ({
      queryClient,
      navigate: (path) => void navigate(path),
      clearSelection: clearSelection ?? (() => undefined),
    }),
    [queryClient, navigate, clearSelection],
  );
}
