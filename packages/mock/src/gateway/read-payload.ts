import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { GatewayError, type GatewayInput, type Violation } from '@berth/server-stubs';
import { isObject } from '../is-object.ts';
import type { CallRecord } from '../record/call-record.ts';
import { INVALID } from '../refusals/to-refusal.ts';

/**
 * Judges the body of a call that no service of the mock has taken, as the contract documents it: JSON is
 * to be an object.
 *
 * D13: "POST takes any Content-Type and passes the body unchanged (the documents declare
 * `application/json`, object)." So a body of another type, or a compressed one, is read for its size
 * alone, and judged like an object without properties.
 *
 * @returns undefined for a GET
 * @throws GatewayError INVALID_REQUEST
 */
export async function readPayload(
  { body, headers }: GatewayInput,
  record: CallRecord,
): Promise<unknown> {
  if (body === undefined) return undefined;
  const bytes = await buffer(body);
  if (!isJson(headers)) return {};
  const refuse = (keyword: string, message: string) => {
    const violation: Violation = { in: 'body', pointer: '', keyword, message, schemaPath: '' };
    record.violations = [violation];
    return new GatewayError(INVALID.gateway, { message });
  };
  if (bytes.length === 0) {
    throw refuse('required', 'The body is missing: send a JSON object.');
  }
  const value = parse(bytes);
  if (value === undefined) {
    throw refuse('syntax', 'The body is not valid JSON: check quotes, commas and brackets.');
  }
  if (!isObject(value)) {
    throw refuse('type', `The body must be an object, got ${kindOf(value)}.`);
  }
  return value;
}

function isJson(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': contentType = 'application/json', 'content-encoding': coding } = headers;
  if (coding !== undefined && coding.toLowerCase() !== 'identity') return false;
  return /^\s*application\/(json|[^;]+\+json)\s*(;|$)/i.test(contentType);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
