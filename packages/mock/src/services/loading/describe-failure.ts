import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceFault } from './service-fault.ts';

const FRAME = /(?:\(|at )(file:\/\/[^:]*?)(?:\?[^:)]*)?:(\d+):(\d+)\)?$/m;

/** What is told of a function of a route that threw, with the place where it did. */
export function describeFailure(error: unknown, service: string, route: string): ServiceFault {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const message = `${route} of the service ${service} failed: ${text}`;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, url, line, column] = FRAME.exec(stack) ?? [];
  if (url === undefined) return { message };
  const file = relative(process.cwd(), fileURLToPath(url));
  return { file, line: Number(line), column: Number(column), message };
}
