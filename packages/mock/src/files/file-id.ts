/** The one bucket of a mock. */
const BUCKET = 'files';

/** D23: "`fileID` = `cloud://<envId>.<bucket>/<path>`, path unencoded". */
export function toFileID(env: string, key: string): string {
  return `cloud://${env}.${BUCKET}/${key}`;
}

/** The key of a file ID; undefined where it belongs to another environment or is no file ID. */
export function toKeyOfFileID(env: string, fileID: string): string | undefined {
  const prefix = toFileID(env, '');
  return fileID.startsWith(prefix) ? fileID.slice(prefix.length) : undefined;
}
