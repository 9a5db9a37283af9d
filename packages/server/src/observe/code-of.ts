import type { Answer } from '@berth/server-stubs';

const XML_CODE = /<Code>(\w+)<\/Code>/;

/** The error code in an answer of the server itself; empty where there is none. */
export function codeOf({ status, body }: Answer): string {
  if (status < 400) return '';
  if (typeof body === 'string') return XML_CODE.exec(body)?.[1] ?? '';
  const { code, body: inner } = (body ?? {}) as { code?: unknown; body?: { code?: unknown } };
  const found = code ?? inner?.code;
  return typeof found === 'string' ? found : '';
}
