import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import classes from './brand.module.css';
import { ui } from './ui.ts';

/** What whoever runs the service tells everybody. */
export function ServiceBanner() {
  if (ui.banner === undefined) return null;
  const { text, kind } = ui.banner;
  const Picture = kind === 'warning' ? IconAlertTriangle : IconInfoCircle;
  return (
    <p className={classes.banner} data-kind={kind} role="note">
      <Picture size={18} aria-hidden />
      <span>{text}</span>
    </p>
  );
}
