/** The dependencies that are installed beside the packed program, as the optional ones are: native code, a script that is executed, and what few installations load. */
export const NOT_BUILT_IN = ['@aws-sdk/credential-provider-node', '@napi-rs/keyring', 'open'] as const;
