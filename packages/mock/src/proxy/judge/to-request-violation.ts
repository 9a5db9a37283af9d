import type { Fault, Violation } from '@berth/server-stubs';
import { isObject } from '../../is-object.ts';

/** A fault of the router that names no violation itself. */
export function toFaultViolation({ kind, message }: Fault): Violation {
  const place = kind === 'not-found' || kind === 'method-not-allowed' ? 'path' : 'body';
  return { in: place, pointer: '', keyword: kind, message, schemaPath: '' };
}

/** A refusal by a rule that no schema can say, in the shape of its surface. */
export function toRuleViolation(body: unknown): Violation {
  const { code, message } = errorOf(body);
  return { in: 'body', pointer: '', keyword: code, message, schemaPath: '' };
}

/** Code and message of an error in any of the shapes of the contract. */
function errorOf(body: unknown): { code: string; message: string } {
  if (typeof body === 'string') {
    const read = (name: string) => new RegExp(`<${name}>([^<]*)`).exec(body)?.[1] ?? '';
    return { code: read('Code'), message: read('Message') };
  }
  const { code, message } = isObject(body) ? (isObject(body.body) ? body.body : body) : {};
  return { code: String(code ?? 'rule'), message: String(message ?? 'It breaks the contract.') };
}
