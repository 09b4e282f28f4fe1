import { language } from './words/language.ts';
import { loadWords } from './words/words.ts';

document.documentElement.lang = language;
// The words come before the page, because modules of the page hold some in constants.
void loadWords().then(() => import('./start.tsx'));
