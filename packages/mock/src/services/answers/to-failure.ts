import { toAnswer } from '@berth/server-stubs';
import { isObject } from '../../is-object.ts';
import type { MockedAnswer } from '../services.ts';
import type { RouteContext } from './route-context.ts';
import { ServiceRefusal, toRefusal } from './service-refusal.ts';

/**
 * What a call gets whose route failed. An error of the gateway, such as a function may throw, goes on, and
 * so does what says that the caller is gone; anything else is an answer of the service, as a real one
 * gives it, and is told to whoever runs the mock.
 */
export function toFailure(error: unknown, { input, call, report }: RouteContext): MockedAnswer {
  if (isObject(error) && toAnswer in error) throw error;
  if (input.body?.errored || call.response.destroyed) throw error;
  if (error instanceof ServiceRefusal) return toRefusal(error.status, error.message);
  report(error);
  return toRefusal(
    500,
    `The route failed: ${error instanceof Error ? error.message : String(error)}`,
  );
}
