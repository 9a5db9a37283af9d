import type { Context } from '../context.ts';
import type { Call } from '../http/call.ts';

/**
 * What one storage operation does with the files of the mock.
 *
 * @param request the flat, validated fields of the body
 * @returns `data` of the answer
 * @throws Refusal where the whole call fails
 */
export type StorageOperation<Request> = (request: Request, call: Call, context: Context) => object;
