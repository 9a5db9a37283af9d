import type { Need } from '../check.ts';

/** What a check needs that stores files of its own. */
export const needsFiles: readonly Need[] = ['storageCredentials', 'writes'];
