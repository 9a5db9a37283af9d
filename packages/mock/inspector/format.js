/** @import { Logged, Message } from './types.d.ts' */

/** @param {number} bytes */
export function toSize(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** @param {number} at milliseconds since the epoch */
export function toTime(at) {
  const date = new Date(at);
  return `${date.toLocaleTimeString([], { hour12: false })}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** @param {Message} message */
export function toText({ body, bodyBytes }) {
  if (body === undefined || bodyBytes === 0) return '';
  if (!('text' in body)) return `${body.base64}\n(base64)`;
  const rest = bodyBytes - new Blob([body.text]).size;
  return rest > 0 ? `${body.text}\n… ${toSize(rest)} more` : toPretty(body.text);
}

/** @param {string} text */
function toPretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * Returns the most serious finding about a call.
 *
 * @param {Logged} logged
 * @returns {{ kind: 'wait' | 'bad' | 'warn' | 'fault' | 'good', text: string }}
 */
export function toVerdict({ response, matched, violations, responseViolations, faults }) {
  if (responseViolations.length > 0) return { kind: 'bad', text: ' response breaks the contract' };
  if (violations.length > 0) return { kind: 'bad', text: count(violations.length, 'violation') };
  if (!matched) return { kind: 'warn', text: 'unmatched' };
  if (faults.length > 0) return { kind: 'fault', text: faults.join(', ') };
  return response === undefined ? { kind: 'wait', text: 'open' } : { kind: 'good', text: 'valid' };
}

/**
 * @param {number} number
 * @param {string} noun
 */
function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/**
 * Formats a call as a shell command. The log contains placeholders instead of credentials.
 *
 * @param {Logged} logged
 */
export function toCurl({ request }) {
  // Without `--path-as-is`, curl would resolve dots; without `-g`, it would expand brackets.
  const target = request.target.replace(/^[a-z]+:\/\/[^/?]*/i, '');
  const lines = [`curl -g --path-as-is -X ${request.method} ${quote(location.origin + target)}`];
  for (const [name, value] of Object.entries(request.headers)) {
    if (OWN_HEADERS.has(name)) continue;
    for (const one of [value].flat()) lines.push(`-H ${quote(`${name}: ${one}`)}`);
  }
  if (request.body && 'text' in request.body && request.body.text !== '') {
    // Unlike `--data`, it never treats text that starts with `@` as a file name.
    lines.push(`--data-raw ${quote(request.body.text)}`);
  }
  return lines.join(' \\\n  ');
}

/** Headers that curl sets itself. */
const OWN_HEADERS = new Set(['host', 'content-length', 'connection', 'accept-encoding']);

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
