import type { Asked } from './exchange.ts';

export function isUpload({ document, path }: Asked): boolean {
  return document === 'storage' && path === '/';
}

/** Whether the body is judged as JSON. */
export function isJsonCall(asked: Asked): boolean {
  return asked.method === 'POST' && !isUpload(asked) && hasJsonType(asked);
}

/** Whether a body says that it is JSON, and is none. */
export function isBroken(asked: Asked): boolean {
  const { body = '' } = asked;
  if (body === '' || !hasJsonType(asked)) return false;
  try {
    JSON.parse(body);
    return false;
  } catch {
    return true;
  }
}

/** The call of the gateway that the document describes and that is nearest to a call that it takes. */
export function toDescribed(asked: Asked): Asked {
  const [path = ''] = asked.path.split('?', 1);
  const [, name, rest] = /^\/v1\/cloudrun\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
  if (name === undefined) return asked;
  const within = rest === undefined || rest === '' ? '' : `/${encodeURIComponent(rest)}`;
  const described = {
    ...asked,
    method: asked.method === 'HEAD' ? 'GET' : asked.method,
    path: `/v1/cloudrun/${name}${within}`,
  };
  const isTyped = asked.headers['content-type'] !== undefined;
  if (asked.method !== 'POST' || !isTyped || isJsonCall(asked)) return described;
  const headers = { ...asked.headers, 'content-type': 'application/json' };
  return { ...described, headers, body: '{}' };
}

function hasJsonType({ headers }: Asked): boolean {
  return /^application\/json\b/.test(headers['content-type'] ?? '');
}
