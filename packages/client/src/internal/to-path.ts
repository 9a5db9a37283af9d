import { GREEDY_PARAMETERS } from '../generated/contract.gen.ts';

/**
 * Fills the parameters of a path template. An ordinary parameter is percent-encoded; a greedy one
 * (`x-berth-greedy`) is one or more segments, perhaps with a query, and stays exactly as it is.
 *
 * "A segment that is `.` or `..` after one decoding is 400; the client throws on it" (D3): `fetch`
 * resolves such segments itself (WHATWG URL, section 4.4), which would reach another service.
 *
 * @throws TypeError where a parameter is missing, or where `fetch` would send other bytes than given
 */
export function toPath(template: string, params: Record<string, unknown>): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = params[name];
    const isGreedy = (GREEDY_PARAMETERS as readonly string[]).includes(name);
    if (value === undefined || value === null || (value === '' && !isGreedy)) {
      throw new TypeError(`The path parameter "${name}" is missing.`);
    }
    const text = isGreedy ? String(value) : encodeURIComponent(String(value));
    assertSentAsGiven(name, text);
    return text;
  });
}

function assertSentAsGiven(name: string, text: string): void {
  const queryAt = text.indexOf('?');
  const path = queryAt < 0 ? text : text.slice(0, queryAt);
  for (const segment of path.split('/')) {
    if (/^(\.|%2e){1,2}$/i.test(segment) || segment.includes('\\')) {
      throw new TypeError(`${name}: fetch would rewrite the segment "${segment}".`);
    }
  }
  const lost = /#|\p{Cc}| $/u.exec(text);
  if (lost) {
    throw new TypeError(
      `${name}: fetch would drop ${JSON.stringify(lost[0])}; write it as "${encodeURIComponent(lost[0])}".`,
    );
  }
}
