/** The settings of a dialog that covers the page and is closed by its own buttons and keys. */
export const WHOLE_SCREEN = {
  fullScreen: true,
  padding: 0,
  radius: 0,
  withCloseButton: false,
  closeOnEscape: false,
  transitionProps: { duration: 0 },
} as const;
