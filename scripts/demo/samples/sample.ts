/** One object to be put into the demo's storage. */
export type Sample = {
  readonly key: string;
  readonly type: string;
  readonly body: Buffer;
};

export function sample(key: string, type: string, body: Buffer | string): Sample {
  return { key, type, body: typeof body === 'string' ? Buffer.from(body) : body };
}

/** Text with Unix line ends, the last one included. */
export function lines(...text: readonly string[]): string {
  return `${text.join('\n')}\n`;
}
