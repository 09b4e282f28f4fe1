/** The deadline for work that storage does by itself, such as joining parts or copying. Within it, storage must still send something every `idleTimeoutMs`. */
export const LONG_WORK_MS = 15 * 60_000;
