import { IconWifiOff } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { t } from '../words/words.ts';
import classes from './states.module.css';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** A banner above the page while the browser is offline. */
export function OfflineBanner() {
  const isOnline = useSyncExternalStore(subscribe, () => window.navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <p className={classes.banner}>
          <IconWifiOff size={18} aria-hidden />
          {t('You are offline. What you see may be out of date. Uploads continue when you are connected again.')}
        </p>
      )}
    </div>
  );
}
