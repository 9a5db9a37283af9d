import { withLimit } from './openapi-fetch.ts';

/** With the time limit that the others have. */
export const createCalls = withLimit(65_000);
