import { documents } from './documents.ts';
import { pictures, swatch } from './pictures.ts';
import { lines, sample, type Sample } from './sample.ts';

/** How many small objects the folder for scrolling holds. */
export const MANY = 3_000;

export type SampleBuckets = Readonly<Record<string, readonly Sample[]>>;

/** The buckets of the provider `main`. */
export function mainBuckets(): SampleBuckets {
  return {
    'team-files': documents(),
    photos: pictures(),
    sensors: [sample('README.txt', 'text/plain', lines(`readings/ holds ${MANY} objects.`)), ...readings()],
    'empty-bucket': [],
  };
}

/** The buckets of the provider `archive`. */
export function archiveBuckets(): SampleBuckets {
  return {
    backups: [2023, 2024, 2025].flatMap((year) => [
      sample(`${year}/manifest.json`, 'application/json', lines(JSON.stringify({ year, complete: true }, null, 2))),
      sample(`${year}/notes.txt`, 'text/plain', lines(`Backup of ${year}.`)),
      sample(`${year}/database.bin`, 'application/octet-stream', Buffer.alloc(256 * 1024, year % 256)),
    ]),
    swatches: Array.from({ length: 120 }, (_, i) =>
      sample(`swatch ${String(i + 1).padStart(3, '0')}.png`, 'image/png', swatch(i * 2)),
    ),
  };
}

function readings(): readonly Sample[] {
  return Array.from({ length: MANY }, (_, i) => {
    const celsius = (20 + Math.sin(i / 60) * 5).toFixed(2);
    return sample(
      `readings/${String(i + 1).padStart(5, '0')}.json`,
      'application/json',
      `{"sensor":${i % 7},"celsius":${celsius}}\n`,
    );
  });
}
