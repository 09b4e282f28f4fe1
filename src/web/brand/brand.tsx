import { servicePath } from '../base.ts';
import classes from './brand.module.css';
import { ui } from './ui.ts';

/** The logo of this installation, or the default logo: three layers of storage. */
export function BrandMark({ size = 28 }: { size?: number }) {
  if (ui.logo !== undefined)
    return <img src={servicePath(ui.logo)} width={size} height={size} alt="" className={classes.logo} />;
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className={classes.mark}>
      <rect width="32" height="32" rx="8" className={classes.ground} />
      <path d="M16 6.500 26 11.300 16 16.100 6 11.300z" className={classes.top} />
      <path d="M6 15.800 16 20.600 26 15.800V17.900L16 22.700 6 17.900z" className={classes.middle} />
      <path d="M6 20.900 16 25.700 26 20.900V23L16 27.800 6 23z" className={classes.bottom} />
    </svg>
  );
}
