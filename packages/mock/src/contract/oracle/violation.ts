import { isObject } from '../../util/values.ts';

/** An error reported by Prism, reduced to the parts that the mock uses. */
export interface Violation {
  /**
   * Location: `body`, `path`, `query` or `header`, followed by the keys down to the value, escaped as in a
   * JSON Pointer.
   */
  path?: string[];
  /** Schema keyword that failed. */
  code?: string | number;
  message: string;
}

/**
 * Describes which field is invalid and what it must be.
 *
 * @param body the validated value, used to report what was sent instead
 * @example
 * describeViolation(violation, body); // 'fileList[0].fileID must be a string, got a number.'
 */
export function describeViolation({ path, code, message }: Violation, body: unknown): string {
  const [place, ...pointer] = path ?? ['body'];
  const keys = pointer.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const field = place === 'body' ? toField(keys) : keys.join('.');
  const value = place === 'body' ? lookUp(body, keys) : undefined;
  if (place === 'body' && keys.length === 0 && value === undefined) {
    return 'The request body is missing: send a JSON object.';
  }
  const [, property] = /required property '(.*)'/.exec(message) ?? [];
  if (property !== undefined) return `${toField([...keys, property])} is required.`;
  const [, type] =
    /must be (array|boolean|integer|null|number|object|string)\b/.exec(message) ?? [];
  // Prism treats a body of `0`, `false`, `""` or `null` as missing.
  if (type !== undefined || code === 'required') {
    return `${field || 'The body'} must be ${withArticle(type ?? 'object')}, got ${kindOf(value)}.`;
  }
  return `${field || 'The body'} ${message.slice(message.search(/must\b/))}.`;
}

/** `['fileList', '0', 'fileID']` → `fileList[0].fileID`. */
function toField(keys: string[]): string {
  return keys
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}

function lookUp(body: unknown, keys: string[]): unknown {
  return keys.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isObject(value) ? value[key] : undefined;
  }, body);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return withArticle(Array.isArray(value) ? 'array' : typeof value);
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}
