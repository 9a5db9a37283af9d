import type { paths } from '../generated/storage.v2.gen.ts';
import type { WireProfile } from '../wire-profile.ts';
import type { StorageAnswer } from './read-envelope.ts';

/** Paths of the storage operations: those that belong to an environment, so not the upload target. */
export type StoragePath = {
  [Path in keyof paths]: paths[Path] extends {
    post: { parameters: { path: { envId: string } } };
  }
    ? Path
    : never;
}[keyof paths];

/** JSON body of a storage operation. */
type StorageBody<Path extends StoragePath> =
  paths[Path]['post']['requestBody']['content']['application/json'];

/** What the operations of a storage client share. */
export interface StorageContext {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly wireProfile: WireProfile;
  readonly onWarning: (message: string) => void;
  /** Calls one operation and opens its envelope; `what` begins the message of a failure. */
  call<Path extends StoragePath>(
    path: Path,
    body: StorageBody<Path>,
    what: string,
    signal: AbortSignal | undefined,
  ): Promise<StorageAnswer>;
}
