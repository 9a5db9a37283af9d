/**
 * The three header values of a storage call (D17). How they are made is between you and the
 * deployment; the client sends them as they are.
 *
 * @example
 * const credentials = async () => (await fetch('/my-backend/storage-credentials')).json();
 */
export interface StorageCredentials {
  /** Authorization credential, for example `1.0 TC3-HMAC-SHA256 Credential=…`. */
  readonly authorization: string;
  /** Session token of temporary credentials. Default: empty, which permanent ones need. */
  readonly sessionToken?: string | undefined;
  /** Time of the signature in whole seconds since the epoch. */
  readonly timestamp: number | string;
}

/**
 * Credentials, or a function that gives them for each try of a call. It is told the time in
 * milliseconds since the epoch, corrected by the server's `Date`; `tc3Storage` makes one.
 */
export type StorageCredentialsSource =
  | StorageCredentials
  | ((now: number) => StorageCredentials | Promise<StorageCredentials>);
