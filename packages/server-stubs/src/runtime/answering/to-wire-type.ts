import type { Answer, Content } from '../route-table.ts';
import { isBytes } from './raw-body.ts';

/** `Content-Type` of an answer that gives none itself. */
export function toWireType({ body, contentType }: Answer, content: Content | undefined): string {
  const named = contentType ?? content?.mediaType;
  if (named !== undefined && !named.includes('*')) {
    return content?.kind === 'text' && typeof body === 'string' ? withCharset(named) : named;
  }
  if (typeof body === 'string') return 'text/plain; charset=utf-8';
  return isBytes(body) ? 'application/octet-stream' : 'application/json';
}

function withCharset(type: string): string {
  return type.includes(';') ? type : `${type}; charset=utf-8`;
}
