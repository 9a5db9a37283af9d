import { withLimit } from './openapi-fetch.ts';

/** Creates functions that make the calls with openapi-fetch and with the other clients' timeout. */
export const createCalls = withLimit(65_000);
