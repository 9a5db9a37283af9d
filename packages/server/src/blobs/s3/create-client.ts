import { S3Client } from '@aws-sdk/client-s3';

/** A store that is there takes a connection within a round trip. */
const CONNECT_MILLISECONDS = 3_000;
/** So long a connection may stand still; then the call is tried again, or a download goes on anew. */
const IDLE_MILLISECONDS = 15_000;
const ATTEMPTS = 3;
/** From here on a body waits for the store's consent, so that a refusal is heard before it is sent. */
const CONSENT_BYTES = 16 * 1024 * 1024;

/** Without one the SDK writes to the console what it throws anyway. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

export interface ClientOptions {
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly forcePathStyle?: boolean | undefined;
}

export function createClient(options: ClientOptions): S3Client {
  const { endpoint, region, credentials, forcePathStyle = endpoint !== undefined } = options;
  // The calls of this server are bounded by its own connections, and a slow reader holds one of them.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
    maxAttempts: ATTEMPTS,
    logger: SILENT,
    expectContinueHeader: CONSENT_BYTES,
    // Else streams are sent in chunks with a trailer, which Ceph and others refuse (411). Contents
    // are guarded by their MD5.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MILLISECONDS,
      socketTimeout: IDLE_MILLISECONDS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}
