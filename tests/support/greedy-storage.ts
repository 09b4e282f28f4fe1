import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** `missing`: nothing is there. `stalling`: all but the end of the largest answer comes, and of a short one nothing. `large`: the largest answer. */
export type Mood = 'missing' | 'stalling' | 'large';

/** Speaks as much S3 as an attack on memory needs. */
export type GreedyStorage = {
  readonly url: string;
  mood: Mood;
  /** Grows with everything that comes and goes. */
  readonly moved: number;
  /** Ends what is under way; from then on nothing is there. */
  calm(): void;
  close(): Promise<void>;
};

const KEY = 'ä'.repeat(508);
const KEYS = Array.from({ length: 1_000 }, (_, i) => encodeURIComponent(KEY) + String(i).padStart(4, '0'));
const OBJECT = Buffer.alloc(8 * 2 ** 20, 'svc');
const named = (element: string, more: string) =>
  KEYS.map((key) => `<${element}><Key>${key}</Key>${more}</${element}>`).join('');
const TIME = '2026-01-31T09:30:00.000Z';
const AT = `<LastModified>${TIME}</LastModified><ETag>"x"</ETag><Size>1</Size>`;
const LISTED = 'IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>';

/** The largest answers, by the parameter of the query that chooses the call. */
const ANSWERS: Readonly<Record<string, Buffer>> = Object.fromEntries(
  Object.entries({
    'list-type': `<ListBucketResult><${LISTED}${named('Contents', AT)}</ListBucketResult>`,
    versions: `<ListVersionsResult><${LISTED}${named('Version', `<VersionId>v</VersionId><IsLatest>true</IsLatest>${AT}`)}</ListVersionsResult>`,
    uploads: `<ListMultipartUploadsResult><${LISTED}${named('Upload', `<UploadId>${'u'.repeat(1_000)}</UploadId><Initiated>${TIME}</Initiated>`)}</ListMultipartUploadsResult>`,
    uploadId: `<ListPartsResult><IsTruncated>false</IsTruncated>${Array.from({ length: 10_000 }, (_, i) => `<Part><PartNumber>${i + 1}</PartNumber>${AT}</Part>`).join('')}</ListPartsResult>`,
    delete: `<DeleteResult>${named('Error', `<Code>AccessDenied</Code><Message>${'m'.repeat(1_000)}</Message>`)}</DeleteResult>`,
    buckets: `<ListAllMyBucketsResult><Buckets>${Array.from({ length: 150_000 }, (_, i) => `<Bucket><Name>bucket-${i}</Name><CreationDate>${TIME}</CreationDate></Bucket>`).join('')}</Buckets></ListAllMyBucketsResult>`,
    // Longer than any other answer that is read as a whole.
    others: `<Other>${'<Rule><ID>x</ID></Rule>'.repeat(600_000)}</Other>`,
  }).map(([name, xml]) => [name, Buffer.from(xml)]),
);

export async function startGreedyStorage(): Promise<GreedyStorage> {
  const storage = { mood: 'missing' as Mood, moved: 0 };
  const server = http.createServer((req, res) => {
    storage.moved += 1;
    req.on('data', (bytes: Buffer) => (storage.moved += bytes.length));
    req.on('end', () => answer(req, res, storage.mood));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(storage, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calm: () => {
      storage.mood = 'missing';
      server.closeAllConnections();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function answer({ method, url = '' }: http.IncomingMessage, res: http.ServerResponse, mood: Mood): void {
  if (mood === 'missing')
    return void res.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
  const { pathname, searchParams } = new URL(url, 'http://x');
  const asked = [...searchParams.keys()].find((name) => name in ANSWERS);
  const isObject = pathname.split('/').length > 2 && asked === undefined && !searchParams.has('tagging');
  const etag = '"x"';
  if (method === 'HEAD' || method === 'DELETE' || (method === 'PUT' && isObject))
    return void (mood === 'large' && res.writeHead(200, { etag, 'content-length': 0 }).end());
  const body = method === 'GET' && isObject ? OBJECT : ANSWERS[pathname === '/' ? 'buckets' : (asked ?? 'others')]!;
  res.writeHead(200, { etag, 'content-length': body.length, 'content-type': 'application/xml' });
  if (mood === 'large') res.end(body);
  else res.write(body.subarray(0, -64));
}
