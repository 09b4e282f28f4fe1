/** The maximum number of calls in one JSON-RPC message. It stands alone, so that the command line loads no schemas for it. */
export const MAX_BATCH = 50;
