import type { Violation } from '@berth/server-stubs';

/** A breach in an answer. */
export function violate(
  pointer: string,
  keyword: string,
  message: string,
  schemaPath = '',
): Violation {
  return { in: 'response', pointer, keyword, message, schemaPath };
}
