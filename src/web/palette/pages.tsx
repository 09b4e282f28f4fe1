import { IconHome, IconKey, IconPlugConnected, IconSearch, IconShieldLock } from '@tabler/icons-react';
import { adminLink, adminTabs } from '../place/admin-tabs.ts';
import type { Place } from '../place/place.ts';
import { searchFrom } from '../place/search-question.ts';
import type { Account } from '../session/session.ts';
import { t } from '../words/words.ts';
import type { Destination } from './destination.ts';

/** The pages other than folders that the user may open. @param isTyped - whether to include the tabs of the administration. */
export function pagesFor(account: Account, here: Place | undefined, isTyped: boolean): Destination[] {
  const { isAdmin, hasApiKeys, s3 } = account;
  const tabs = isAdmin && isTyped ? adminTabs(account) : [];
  return [
    { id: 'page home', label: t('Home'), to: '/', icon: <IconHome size={20} stroke={1.6} /> },
    { id: 'page search', label: t('Search'), to: searchFrom(here), icon: <IconSearch size={20} stroke={1.6} /> },
    ...(s3 !== null
      ? [
          {
            id: 'page tools',
            label: t('Connect a tool'),
            to: '/tools',
            icon: <IconPlugConnected size={20} stroke={1.6} />,
          },
        ]
      : []),
    ...(hasApiKeys
      ? [{ id: 'page keys', label: t('API keys'), to: '/keys', icon: <IconKey size={20} stroke={1.6} /> }]
      : []),
    ...(isAdmin
      ? [
          {
            id: 'page admin',
            label: t('Administration'),
            to: '/admin',
            icon: <IconShieldLock size={20} stroke={1.6} />,
          },
        ]
      : []),
    ...tabs.map((tab) => ({
      id: `page admin ${tab.path}`,
      label: tab.label,
      to: adminLink(tab),
      icon: <IconShieldLock size={20} stroke={1.6} />,
      description: t('Administration'),
    })),
  ];
}
