/** A page of 1,000 versions as S3 lists them: of each key the newest version and the one before. */
export function versionsPage(keyOf: (i: number) => string, etag: string): string {
  const versions = Array.from(
    { length: 1000 },
    (_, i) =>
      `<Version><Key>${keyOf(i >> 1)}</Key><VersionId>jD3kT9vLqW5nZ8xR2mB6cF1hY4s${String(i).padStart(5, '0')}</VersionId><IsLatest>${i % 2 === 0}</IsLatest><LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>1024</Size><StorageClass>STANDARD</StorageClass><Owner><ID>svc</ID><DisplayName>svc</DisplayName></Owner></Version>`,
  );
  return `<?xml version="1.0"?><ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><IsTruncated>true</IsTruncated><NextKeyMarker>${keyOf(499)}</NextKeyMarker><NextVersionIdMarker>x</NextVersionIdMarker><EncodingType>url</EncodingType>${versions.join('')}</ListVersionsResult>`;
}
