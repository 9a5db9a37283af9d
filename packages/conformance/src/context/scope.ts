import { type Evidence, headOf, readAll, type Sent, splitTarget } from '../http/exchange.ts';
import { toMediaType } from '../http/media-type.ts';

/** Maximum number of values to list for a property, and of properties. */
const MOST_VALUES = 3;
const MOST_PROPERTIES = 2;
/** Values of query parameters that mean something to a reader: neither generated names nor times. */
const TELLING = /^(?!.*\d{6})[\w.%/+-]{1,20}$/;

const LONGEST_TYPE = 80;

/** A call that assertions were made about. */
interface Call {
  holds: boolean;
  /** What may distinguish it from other calls, the most telling first. */
  properties: ReadonlyMap<string, string>;
}

/** The calls of a check: which of them fail, and what only these have in common. */
export class Scope {
  readonly #calls: Call[] = [];
  /** Finds the call of an assertion, without keeping its body. */
  readonly #known = new WeakMap<Sent, Call>();

  /** Adds an assertion about a call. */
  add(evidence: Evidence, holds: boolean): void {
    let call = this.#known.get(evidence.sent);
    if (call === undefined) {
      call = { holds: true, properties: toProperties(evidence) };
      this.#known.set(evidence.sent, call);
      this.#calls.push(call);
    }
    if (!holds) call.holds = false;
  }

  /**
   * Returns how many calls fail, or `undefined` if there is only one call, or none fails.
   *
   * @example
   * '3 of 22 calls, only those with status 500'
   */
  describe(): string | undefined {
    const calls = this.#calls;
    const failed = calls.filter(({ holds }) => !holds);
    if (failed.length === 0 || calls.length === 1) return undefined;
    if (failed.length === calls.length) return `all ${calls.length} calls`;
    const common = listCommon(calls);
    const which = common.length === 0 ? '' : `, only those with ${common.join(' and ')}`;
    return `${failed.length} of ${calls.length} calls${which}`;
  }
}

/** Returns the values that all failing calls have, and no other call. */
function listCommon(calls: readonly Call[]): string[] {
  const names = new Set(calls.flatMap(({ properties }) => [...properties.keys()]));
  const common = [...names].flatMap((name) => {
    const valuesOf = (isFailing: boolean) => {
      const own = calls.filter(({ holds }) => holds !== isFailing);
      return new Set(own.map(({ properties }) => properties.get(name)));
    };
    const failing = [...valuesOf(true)];
    const passing = valuesOf(false);
    const isTelling =
      failing.length <= MOST_VALUES &&
      failing.every((value) => value !== undefined && !passing.has(value));
    return isTelling ? [`${name} ${failing.join(' or ')}`] : [];
  });
  return common.slice(0, MOST_PROPERTIES);
}

function toProperties(evidence: Evidence): Map<string, string> {
  const { method, url } = evidence.sent;
  const { status, headers } = headOf(evidence);
  const { pathname, search } = splitTarget(url);
  const [type = ''] = readAll(headers, 'content-type');
  const parameters = search.split('&').flatMap((parameter): [string, string][] => {
    const [name = '', value = ''] = parameter.split('=');
    // Its value is already there as the status of the response.
    return TELLING.test(value) && value !== String(status)
      ? [[`parameter ${name}`, toReadable(value)]]
      : [];
  });
  const all: [string, string][] = [
    ['status', String(status)],
    ['operation', /storages:(\w+)$/.exec(pathname)?.[1] ?? ''],
    ['method', method],
    ['response type', toMediaType(type).slice(0, LONGEST_TYPE)],
    ...parameters,
  ];
  return new Map(all.filter(([, value]) => value !== ''));
}

/** Decodes ASCII: `Location%3A%2Fmoved` becomes `Location:/moved`. */
function toReadable(text: string): string {
  return text.replaceAll(/%[2-7][0-9a-f]/gi, decodeURIComponent);
}
