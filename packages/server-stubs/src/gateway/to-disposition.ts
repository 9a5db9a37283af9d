import { mediaTypeOf } from '../http/media-type.ts';

/** C2: "Text types are those whose `Content-Type` indicates" one of these. */
const TEXT_TYPES = new Set(['application/json', 'application/x-www-form-urlencoded', 'text/plain']);

const EVENT_STREAM = 'text/event-stream';

const ATTACHMENT = 'attachment';

/** One disposition of type `attachment` with its parameters (RFC 6266, section 4.1). */
const OWN_ATTACHMENT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
  /^attachment[ \t]*(?:;(?:[^",;\u0000-\u001F\u007F]|"(?:[^"\\\u0000-\u001F\u007F]|\\[^\u0000-\u001F\u007F])*")*)*$/i;

/** What the rules C1 to C3 depend on. */
export interface DispositionFacts {
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Whether the request is a WebSocket upgrade. */
  readonly isUpgrade: boolean;
  /** `Content-Type` of the answer. */
  readonly contentType: string | undefined;
  /** `Content-Disposition` lines which the hosted service sent. */
  readonly own: readonly string[];
}

/**
 * The one `Content-Disposition` that the rules C1 to C3 leave on an answer; undefined for none.
 *
 * D8: "exactly one header; a service's own `attachment; filename=…` is kept, any other type replaced".
 */
export function toDisposition(facts: DispositionFacts): string | undefined {
  if (!isAttachment(facts)) return undefined;
  return (
    facts.own.map((value) => value.trim()).find((value) => OWN_ATTACHMENT.test(value)) ?? ATTACHMENT
  );
}

function isAttachment({ method, isUpgrade, contentType }: DispositionFacts): boolean {
  // C3: "SSE and WebSocket requests are exempt from C1 and C2." No browser lets a page or a link set
  // `Upgrade`, so nobody can be led past C1 with it.
  if (isUpgrade) return false;
  // D8: "a missing Content-Type counts as not text".
  const type = mediaTypeOf(contentType ?? '');
  // D8: "an event stream is exempt whatever was accepted."
  if (type === EVENT_STREAM) return false;
  // C1: "For every GET response, the header `Content-Disposition: attachment` is added." D8: HEAD too.
  if (method === 'GET' || method === 'HEAD') return true;
  // C2: "For every response whose content is not a text type, the header … is added."
  return !TEXT_TYPES.has(type);
}
