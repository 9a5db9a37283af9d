import type { IncomingHttpHeaders } from 'node:http';
import type { Violation } from '@berth/server-stubs';
import type { Documents } from '../../contract/documents.ts';
import { applyProfile, type WireProfile } from '../../contract/wire-profile.ts';
import type { SurfaceName } from '../../surface-name.ts';
import { findHeader, type RawHeaders } from '../headers.ts';
import { createResponseSchemas } from './create-response-schemas.ts';
import { isOwnError, judgeDisposition, judgeError } from './gateway-rules.ts';
import { violate } from './violate.ts';

/** An answer of a deployment, and to what. */
export interface JudgedAnswer {
  readonly surface: SurfaceName;
  readonly operationId: string | undefined;
  readonly method: string;
  readonly requestHeaders: IncomingHttpHeaders;
  readonly status: number;
  readonly headers: RawHeaders;
  /** Undefined where there is none. */
  readonly body: Buffer | undefined;
  /** Whether nothing was left out of the body. */
  readonly isWhole: boolean;
}

export type AnswerJudge = (answer: JudgedAnswer) => readonly Violation[];

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const UNCODED = /^(?:identity)?$/i;

/** Holds answers of a deployment against the contract. What the contract leaves open is not judged. */
export function createAnswerJudge(profile: WireProfile, documents: Documents): AnswerJudge {
  const schemas = createResponseSchemas(applyProfile(documents, profile));
  const upstreamStatus = profile.gatewayHeaders.upstreamStatus.toLowerCase();

  function judgeGateway(answer: JudgedAnswer): readonly Violation[] {
    const { headers, status, operationId, method } = answer;
    const requestId = findHeader(headers, 'x-request-id');
    // D9: "`X-Request-Id` is on every gateway answer, 101 and OPTIONS included".
    const missing =
      requestId === undefined
        ? [violate('/headers/x-request-id', 'required', 'The header X-Request-Id is missing.')]
        : [];
    if (method === 'OPTIONS') return missing;
    const body = parse(answer);
    if (findHeader(headers, upstreamStatus) === undefined && isOwnError(status, body)) {
      const documented = schemas.judge(operationId ?? 'cloudrun-get', answer, body);
      return [...missing, ...documented.filter(isNoRequestId), ...judgeError(body, requestId)];
    }
    // D7: "whatever else a hosted service answers is judged by header rules … alone".
    return [...missing, ...judgeDisposition(answer)];
  }

  return (answer) => {
    const { surface, method, operationId } = answer;
    if (surface === 'gateway') return judgeGateway(answer);
    if (surface === 'link' || method === 'OPTIONS' || operationId === undefined) return [];
    if (!isReadable(answer)) return [];
    return surface === 'storage'
      ? schemas.judge(operationId, answer, parse(answer))
      : judgeUpload(answer);
  };
}

/** D27: a refusal is an XML `Error`, and nothing else is. */
function judgeUpload({ status, body }: JudgedAnswer): readonly Violation[] {
  const isError = /<Error[\s/>]/.test(body?.toString() ?? '');
  if (status >= 400 && !isError) {
    return [violate('/body', 'xml', `The body of the ${status} is no XML Error.`)];
  }
  if (status < 400 && isError) {
    return [violate('/body', 'xml', `The body of the ${status} must be no XML Error.`)];
  }
  return [];
}

function isNoRequestId({ pointer }: Violation): boolean {
  return pointer !== '/headers/x-request-id';
}

/** Whether the body can be read: a long or coded one passes unread. */
function isReadable({ headers, isWhole }: JudgedAnswer): boolean {
  return isWhole && UNCODED.test(findHeader(headers, 'content-encoding') ?? '');
}

/** The parsed body; undefined where it is no JSON. */
function parse(answer: JudgedAnswer): unknown {
  const { headers, body } = answer;
  if (!isReadable(answer) || !JSON_TYPE.test(findHeader(headers, 'content-type') ?? '')) {
    return undefined;
  }
  try {
    return body && JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
