/** The method of the message that says that a watched folder may look different now. It names no key. In a file of its own, because the page needs no schema for it. */
export const FOLDER_CHANGED = 'object/changed';
