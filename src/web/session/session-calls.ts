/** The RPC methods that return the signed-in user and the capabilities, and their parameters. */
export const SESSION_CALLS = [['initialize', 'session/get'], [{}, {}]] as const;
