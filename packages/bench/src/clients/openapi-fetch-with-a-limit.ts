import { withLimit } from './openapi-fetch.ts';

/** With a timeout, like the other clients. */
export const createCalls = withLimit(65_000);
