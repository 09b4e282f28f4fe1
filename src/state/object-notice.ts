/** More than any instance writes. */
const MAX_CHARACTERS = 8_000;

/** A message of an instance to all that hear the same channel, itself included. */
export function writeNotice(instance: string, names: readonly string[]): string {
  return `${instance} ${JSON.stringify(names)}`;
}

/** Makes a listener for such messages, which is called with those of other instances. What no instance writes is left out. */
export function ofOthers(instance: string, listener: (names: unknown) => void): (message: string) => void {
  return (message) => {
    if (message.length > MAX_CHARACTERS || message.startsWith(`${instance} `)) return;
    let names: unknown;
    try {
      names = JSON.parse(message.slice(message.indexOf(' ') + 1));
    } catch {
      return;
    }
    listener(names);
  };
}
