import type { Catalogue } from '../catalogue.ts';
import { actions } from './actions.ts';
import { admin } from './admin.ts';
import { browsing } from './browsing.ts';
import { editing } from './editing.ts';
import { page } from './page.ts';
import { problems } from './problems.ts';
import { transfers } from './transfers.ts';
import { versions } from './versions.ts';

export const german: Catalogue = {
  ...actions,
  ...admin,
  ...browsing,
  ...editing,
  ...page,
  ...problems,
  ...transfers,
  ...versions,
};
