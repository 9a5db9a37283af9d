import type { StorageData, StorageInput, StorageOperationId } from '@berth/server-stubs';
import type { Session } from '../session/session.ts';

/** Where a storage operation acts. */
export interface Place {
  readonly env: string;
  readonly session: Session;
  /** Address under which the caller reached the mock, for links that it can follow. */
  origin(): string;
}

/**
 * What a storage operation does with the files of a session.
 *
 * @throws StorageError where the whole call fails
 */
export type Act<Id extends StorageOperationId> = (
  input: StorageInput<Id>,
  place: Place,
) => StorageData<Id>;
