import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { NamedCalls } from '../support/expect-admission.ts';
import { jsonPost } from '../support/gateway-methods.ts';

/** A GET and a POST, at the root of the service and below it, which carry a mark in their query. */
export function toCalls(credentials: GatewayCall['credentials'], mark: string): NamedCalls {
  const root = `?mark=${mark}`;
  const deep = `/a/b?mark=${mark}`;
  const given = credentials === undefined ? {} : { credentials };
  return {
    'GET of the root': { path: root, ...given },
    'GET of a path': { path: deep, ...given },
    'POST to the root': { path: root, ...jsonPost, ...given },
    'POST to a path': { path: deep, ...jsonPost, ...given },
  };
}

/** The same with several values of `Authorization`, named. A GET and a POST for each. */
export function toCallsWith(values: Record<string, string>, mark: string): NamedCalls {
  const path = `/a/b?mark=${mark}`;
  const calls = Object.entries(values).flatMap(([what, value]) => {
    const credentials = [['Authorization', value]] as const;
    return [
      [`GET with ${what}`, { path, credentials }],
      [`POST with ${what}`, { path, ...jsonPost, credentials }],
    ] as const;
  });
  return Object.fromEntries(calls);
}
