import {
  createTheme,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';
import { ui } from './brand/ui.ts';
import { ButtonElement } from './button-element.tsx';
import { t } from './words/words.ts';

const lagoon: MantineColorsTuple = [
  '#e8f6f4',
  '#cfece7',
  '#a1dbd1',
  '#6fd3c3',
  '#3ecbb6',
  '#1fae9b',
  '#128a7c',
  '#0b6e63',
  '#095a51',
  '#07473f',
];
const gray: MantineColorsTuple = [
  '#f6f7f9',
  '#eef1f4',
  '#e3e7ec',
  '#d3d9e0',
  '#c3ccd5',
  '#96a2b0',
  '#6c7887',
  '#566273',
  '#35404f',
  '#16202e',
];
const dark: MantineColorsTuple = [
  '#e6ebf1',
  '#c3ccd6',
  '#9ba8b7',
  '#6f7d8e',
  '#2f3946',
  '#262e39',
  '#1a2029',
  '#12161c',
  '#0d1116',
  '#090c10',
];

export const theme = createTheme({
  primaryColor: 'lagoon',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  colors: { lagoon: (ui.accent?.shades as MantineColorsTuple | undefined) ?? lagoon, gray, dark },
  black: '#16202e',
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily:
    '"Segoe UI Variable Text", "Segoe UI", system-ui, -apple-system, "SF Pro Text", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.25rem', lineHeight: '1.3' }, h2: { fontSize: '1rem', lineHeight: '1.4' } },
  },
  focusRing: 'auto',
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    return input.variant === 'filled' ? { ...colors, color: 'var(--svc-on-filled)' } : colors;
  },
  components: {
    Portal: { defaultProps: { target: '#overlays' } },
    Modal: { defaultProps: { radius: 'lg', padding: 'lg', closeButtonProps: { 'aria-label': t('Close') } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': t('Close') } } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, shadow: 'lg', radius: 'md' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('Hide this message') } } },
    UnstyledButton: { defaultProps: { component: ButtonElement } },
  },
});

/** The colours whose contrast in Mantine is below 4.5, and the service's own variables (`--svc-…`). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--svc-row-height': '2.5rem',
  },
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#566273',
    '--mantine-color-placeholder': '#66727f',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-default-border': '#dfe3e8',
    '--mantine-color-gray-light-color': '#475364',
    '--mantine-color-red-light-color': '#b3261e',
    '--mantine-color-orange-light-color': '#9a4a00',
    '--mantine-color-yellow-light-color': '#7a5b00',
    '--mantine-color-red-filled': '#c22f27',
    '--mantine-color-red-filled-hover': '#a9261f',
    '--svc-on-filled': '#ffffff',
    '--svc-ground': '#f5f7f8',
    '--svc-line': '#e3e7ec',
    '--svc-hover': '#f1f4f6',
    '--svc-chosen': '#e6f4f2',
    '--svc-accent': '#0b6e63',
    '--svc-folder': '#d9a032',
    ...(ui.accent && { '--svc-accent': ui.accent.light.accent, '--svc-chosen': ui.accent.light.chosen }),
  },
  dark: {
    '--mantine-color-body': '#171c24',
    '--mantine-color-dimmed': '#9ba8b7',
    '--mantine-color-placeholder': '#8c99a8',
    '--mantine-color-error': '#ff8a80',
    '--mantine-color-default-border': '#313b49',
    '--mantine-color-gray-light-color': '#b3becb',
    '--mantine-color-red-light': 'rgba(255, 120, 110, 0.14)',
    '--mantine-color-red-light-hover': 'rgba(255, 120, 110, 0.22)',
    '--mantine-color-red-light-color': '#ff9b93',
    '--svc-on-filled': '#0b1512',
    '--svc-ground': '#11151b',
    '--svc-line': '#28303b',
    '--svc-hover': '#1e252f',
    '--svc-chosen': '#16302f',
    '--svc-accent': '#3ecbb6',
    '--svc-folder': '#e2b45e',
    ...(ui.accent && { '--svc-accent': ui.accent.dark.accent, '--svc-chosen': ui.accent.dark.chosen }),
  },
});

/** Stores the colour scheme in the browser. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'svc-color-scheme' });
