const SAMPLES_PER_SECOND = 16_000;
const HEADER_BYTES = 44;

/** A note: its frequency in hertz (0 is a rest) and how long it sounds. */
export type Note = { readonly hertz: number; readonly seconds: number };

/** Plays notes into a WAV file: mono, 16 bits, 16 kHz. */
export function wav(notes: readonly Note[]): Buffer {
  const samples = notes.flatMap(({ hertz, seconds }) => {
    const count = Math.round(seconds * SAMPLES_PER_SECOND);
    return Array.from({ length: count }, (_, i) => {
      const fade = Math.min(1, i / 200) * (1 - i / count);
      return Math.round(Math.sin((2 * Math.PI * hertz * i) / SAMPLES_PER_SECOND) * fade * 12_000);
    });
  });
  const file = Buffer.alloc(HEADER_BYTES + samples.length * 2);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  file.writeUInt32LE(SAMPLES_PER_SECOND * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(samples.length * 2, 40);
  samples.forEach((sample, i) => file.writeInt16LE(sample, HEADER_BYTES + i * 2));
  return file;
}
