import { withLimit } from './openapi-fetch.ts';

/** Makes the calls with openapi-fetch and the timeout that the other clients have. */
export const createCalls = withLimit(65_000);
