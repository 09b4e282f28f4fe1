import { ACTION_NAMES } from '../../policy/model/action.ts';
import { didYouMean } from './nearest.ts';

/** The message about an unknown action. */
export function unknownAction(name: string): string {
  return `there is no action \`${name}\`${didYouMean(name, ACTION_NAMES) || `; there are ${ACTION_NAMES.join(', ')}`}`;
}
