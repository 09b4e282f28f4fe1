/** The methods that tell who is signed in, and what is given to them. */
export const SESSION_CALLS = [['initialize', 'session/get'], [{}, {}]] as const;
