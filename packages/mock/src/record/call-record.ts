import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Violation } from '@berth/server-stubs';
import type { LoggedRequest } from '../requests/request-log.ts';
import type { Session } from '../session/session.ts';
import type { SurfaceName } from '../surface-name.ts';
import { KeptBytes } from './kept-bytes.ts';

const NAME = 'x-request-id';
const HIDDEN = '…';
const NO_VIOLATIONS: readonly Violation[] = [];

type Headers = LoggedRequest['request']['headers'];

/** What is known of one call while it is answered, and what of it the log keeps afterwards. */
export class CallRecord implements LoggedRequest {
  readonly session: Session;
  readonly at = Date.now();
  readonly surface: SurfaceName;
  id = '';
  operationId: string | undefined = undefined;
  service: string | undefined = undefined;
  matched = true;
  violations: readonly Violation[] = NO_VIOLATIONS;
  answerViolations: readonly Violation[] = NO_VIOLATIONS;
  faults: readonly string[] = [];
  /** Status of an upgrade, which Node makes no `ServerResponse` for. */
  status = 0;
  readonly #start = performance.now();
  readonly #secrets: ReadonlySet<string>;
  readonly #method: string;
  readonly #target: string;
  readonly #rawHeaders: readonly string[];
  readonly #requestBody: KeptBytes;
  #answer:
    | { status: number; ms: number; headers: OutgoingHttpHeaders; kept: KeptBytes }
    | undefined;

  /** @param secrets names of headers, in lower case, whose values nobody gets to see */
  constructor(
    session: Session,
    surface: SurfaceName,
    request: IncomingMessage & { readonly kept?: KeptBytes },
    secrets: ReadonlySet<string>,
  ) {
    this.session = session;
    this.surface = surface;
    this.#secrets = secrets;
    this.#method = request.method ?? 'GET';
    this.#target = request.url ?? '/';
    this.#rawHeaders = request.rawHeaders;
    this.#requestBody = request.kept ?? new KeptBytes();
  }

  /** Enters the call into the log while its answer is on its way. */
  begin(id: string): void {
    this.id = id;
    this.session.requests.put(this);
  }

  /** Enters the call into the log with its answer, once. */
  finish(response: ServerResponse & { readonly kept?: KeptBytes }): void {
    this.close(response.statusCode, response.getHeaders(), response.kept);
  }

  /** The same for an answer that Node made no `ServerResponse` for. */
  close(status: number, headers: OutgoingHttpHeaders, kept = new KeptBytes()): void {
    if (this.#answer !== undefined) return;
    this.#answer = { status, headers, kept, ms: performance.now() - this.#start };
    this.id = String(headers[NAME] ?? (this.id || randomUUID()));
    this.session.requests.put(this);
  }

  get isFinished(): boolean {
    return this.#answer !== undefined;
  }

  get request(): LoggedRequest['request'] {
    const body = this.#requestBody;
    return {
      method: this.#method,
      target: this.#target,
      headers: toHeaders(this.#rawHeaders, this.#secrets),
      body: body.bytes,
      bodyBytes: body.size,
    };
  }

  get answer(): LoggedRequest['answer'] {
    if (this.#answer === undefined) return undefined;
    const { status, ms, headers, kept } = this.#answer;
    return {
      status,
      ms,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value : String(value),
        ]),
      ),
      body: kept.bytes,
      bodyBytes: kept.size,
    };
  }

  /** The beginning of the request's body; undefined where there is none, or not all of it was kept. */
  get wholeBody(): Buffer | undefined {
    return this.#requestBody.isWhole ? this.#requestBody.bytes : undefined;
  }
}

function toHeaders(raw: readonly string[], secrets: ReadonlySet<string>): Headers {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    const value = secrets.has(name) ? HIDDEN : (raw[at + 1] as string);
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}
