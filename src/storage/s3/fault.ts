import type { Fields } from '../../xml/alike.ts';

/** An error answer of S3. */
export class S3Fault extends Error {
  /** The code that S3 gives, such as `NoSuchKey`. An answer without a body has none: it is then `NotFound` for the status 404, otherwise `Unknown`. */
  override readonly name: string;
  readonly status: number;
  /** Whether storage may have carried out an earlier attempt of the same request, whose answer was lost. */
  readonly mayBeDone: boolean;
  readonly contentType: string;
  /** Whether the answer has a request id, as those of S3 have. */
  readonly isNumbered: boolean;
  /** The region to which S3 redirects, when it names one. */
  readonly region: string | undefined;

  constructor(status: number, headers: Headers, fields: Fields | undefined, mayBeDone: boolean) {
    const name = fields?.['Code'] || (status === 404 && fields === undefined ? 'NotFound' : 'Unknown');
    super(
      `${status} ${name}: ${fields?.['Message'] ?? ''} (request ${headers['x-amz-request-id'] ?? 'without an id'})`,
    );
    // What another service answers is no fault of the code here, which a stack would show.
    delete this.stack;
    this.name = name;
    this.status = status;
    this.mayBeDone = mayBeDone;
    this.contentType = headers['content-type'] ?? '';
    this.isNumbered = headers['x-amz-request-id'] !== undefined;
    this.region = fields?.['Region'] ?? headers['x-amz-bucket-region'];
  }
}

/** Lower-case names. */
export type Headers = Readonly<Record<string, string>>;
