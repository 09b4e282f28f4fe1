import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import classes from './brand.module.css';
import { ui } from './ui.ts';

/** The message of the operator to all users, from the configuration. */
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
