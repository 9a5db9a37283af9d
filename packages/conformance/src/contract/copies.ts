import type { OpenapiDocument } from './openapi.ts';

/** What the OpenAPI 3.0 copy lacks of the contract, and why. */
export interface LeftOut {
  operationId: string;
  /** Absent where an example of the request is left out. */
  status?: string;
  contentType?: string;
  /** Name of the one example that is left out; absent where the whole answer is. */
  example?: string;
  requestExample?: string;
  reason: string;
}

/** An OpenAPI 3.0 document for Dredd. `x-berth-status` in each response is the documented status. */
export interface Copy extends OpenapiDocument {
  'x-berth-left-out': LeftOut[];
}
