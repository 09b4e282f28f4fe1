import { operation } from './operation.ts';

/** Tells administrators which storage providers answer. It reveals nothing about stored objects. */
export const checkProviders = operation({
  name: 'provider/health',
  access: { kind: 'admin' },
  run: async ({ services }) => ({
    providers: (await services.storageHealth.check()).map(({ checkedAt, ...health }) => ({
      ...health,
      checkedAt: new Date(checkedAt).toISOString(),
    })),
  }),
});
