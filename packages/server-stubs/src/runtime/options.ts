import type { IncomingMessage } from 'node:http';
import type { Call } from './call.ts';
import type { Fault } from './fault.ts';
import type { SecurityHandlers } from './handler.ts';
import type { Answer } from './route-table.ts';
import type { Violation } from './violation.ts';

/** What a request may cost at most. Beyond: 413, 414 (path, query) or 431 (headers). */
export interface RequestLimits {
  /** Bytes of a body that is held in memory: JSON, text, form. Default 1 MiB. */
  readonly bodyBytes?: number;
  /** Bytes of a body that is a stream: multipart, binary, pass-through. Default: no limit. */
  readonly streamBytes?: number;
  /** Bytes of all names and values of headers. Default: only Node's own limit, 16 KiB. */
  readonly headerBytes?: number;
  /** Bytes of the path as sent. Default 8 KiB. */
  readonly pathBytes?: number;
  /** Bytes of the query as sent. Default 8 KiB. */
  readonly queryBytes?: number;
  /** How deep arrays and objects may nest in a JSON body. Default 64. */
  readonly jsonDepth?: number;
  /** Fields of a form, multipart or not. Default 100. */
  readonly formFields?: number;
  /** Bytes of one text field of a multipart form. Default 64 KiB. */
  readonly fieldBytes?: number;
  /** Files of a multipart form. Default 10. */
  readonly formFiles?: number;
}

/** Announced on every answer of an operation that the document marks `deprecated`. */
export interface Deprecation {
  /** When it became deprecated (`Deprecation`, RFC 9745). */
  readonly since: Date;
  /** When it may stop to work (`Sunset`, RFC 8594). */
  readonly sunset?: Date;
  /** Page that explains it (`Link` with `rel="deprecation"`). */
  readonly link?: string;
}

export interface RouterOptions {
  /** A handler for each security scheme that the document uses. Default: none, which throws if any is used. */
  readonly security?: SecurityHandlers;
  readonly requests?: RequestLimits;
  /**
   * What happens to an answer that the document does not allow: `refuse` sends 500 instead, `log`
   * sends it after `onViolation`, `pass` sends it unjudged, which is fastest. Default `refuse`.
   */
  readonly responses?: 'refuse' | 'log' | 'pass';
  /** Hears of each answer that breaks the document. Default: a warning of the process. */
  readonly onViolation?: (violation: Violation, call: Call) => void;
  /**
   * Hears of each error that is answered with 500, and of each stream of a body that fails while it is
   * sent. Default: prints it to standard error.
   */
  readonly onError?: (error: unknown, call: Call) => void;
  /**
   * Hears of each answer just before it is sent, for logs and metrics: the call knows its operation and
   * its request id. Must not throw. Default: nobody listens.
   */
  readonly onAnswer?: (answer: Answer, call: Call) => void;
  /**
   * Hears of each fault that the router answers in place of a handler, before it has its shape. What it
   * returns is answered instead, so that a message can be put in other words. Must not throw. Default:
   * nobody listens.
   */
  readonly onFault?: (fault: Fault, call: Call) => Fault | undefined;
  /** Gives a fault its shape. Default: `application/problem+json` (RFC 9457). */
  readonly toAnswer?: (fault: Fault, call: Call) => Answer;
  /**
   * Identifier of a call that has one already; `undefined` for a new one. It has to be fit for a header.
   * Default: a new UUID for each call.
   */
  readonly requestId?: (request: IncomingMessage) => string | undefined;
  /** Headers of every answer, such as a request id; those of the answer itself win. */
  readonly headers?: (call: Call) => Readonly<Record<string, string>>;
  /** By operationId. An operation that is not deprecated in the document throws. */
  readonly deprecations?: Readonly<Record<string, Deprecation>>;
}
